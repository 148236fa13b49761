use crate::{Buffers, bit, int, launch, locations, program, run};
use tx_exec::{Fault, Launch, Memory, MemoryError, Param, Space};

fn long(value: i64) -> Param {
    Param::Int {
        bits: 64,
        value: value as u64,
    }
}

/// A read outside a buffer is a fault. If the address is near the buffer, the fault contains the
/// buffer label.
#[test]
fn global_bounds() {
    let program = program!("memory");
    let mut buffers = Buffers::new(100);
    let out = buffers.out();
    let mut read = |index| {
        let params = [out, long(index)];
        program.launch("read", &launch(1, 1), &params, &mut buffers.memory)
    };
    for index in [0, 99] {
        read(index).unwrap();
    }
    for (index, near) in [(100, true), (-1, true), (140, true), (1 << 40, false)] {
        let fault = read(index).unwrap_err();
        assert_eq!(locations(&fault).0, "read.mlir:5:9");
        let Fault::OutOfBounds(access) = &fault else {
            panic!("{fault}");
        };
        assert_eq!((access.bytes, access.space), (4, Space::Global));
        if near {
            let place = access.place.as_ref().unwrap();
            assert_eq!((&*place.buffer, place.length), ("argument 0", 400));
            assert_eq!(place.offset, index * 4);
        }
    }
}

/// All bytes of a vector store must be inside the buffer, and the address must be aligned to the
/// size of the vector.
#[test]
fn vector_bounds_and_alignment() {
    let program = program!("memory");
    let mut buffers = Buffers::new(8);
    let out = buffers.out();
    let mut write = |offset| {
        let params = [out, long(offset)];
        program.launch("write16", &launch(1, 1), &params, &mut buffers.memory)
    };
    write(0).unwrap();
    write(16).unwrap();
    assert!(matches!(write(20), Err(Fault::OutOfBounds(_))));
    let fault = write(4).unwrap_err();
    assert!(matches!(fault, Fault::Misaligned(_)), "{fault}");
    assert!(
        fault.to_string().contains("needs a multiple of 16"),
        "{fault}"
    );
}

/// An access beyond the shared variables of the kernel, and a read of uninitialised shared memory,
/// are faults.
#[test]
fn shared_bounds_and_initialisation() {
    let program = program!("memory");
    let shared = |index, from| run(&program, "shared", &launch(2, 1), &[int(index), int(from)]);
    shared(7, 7).unwrap();
    assert!(matches!(shared(8, 0), Err(Fault::OutOfBounds(_))));
    let fault = shared(3, 4).unwrap_err();
    let Fault::Uninitialized(access) = &fault else {
        panic!("{fault}");
    };
    assert_eq!(access.place.as_ref().unwrap().offset, 16);
    let info = program
        .kernels()
        .find(|kernel| kernel.name == "shared")
        .unwrap();
    assert_eq!(info.static_shared_bytes, 32);
}

/// An uninitialised buffer keeps the bytes that kernels and the host wrote in earlier launches. A
/// read of any other byte is a fault.
#[test]
fn buffers_without_a_value() {
    let program = program!("memory");
    let mut memory = Memory::new();
    let buffer = memory.alloc_uninitialized("temporary 0", 100, 16).unwrap();
    let out = Param::Pointer(memory.address(buffer).unwrap());
    let launch = |memory: &mut Memory, kernel, at| {
        program.launch(kernel, &launch(1, 1), &[out, long(at)], memory)
    };
    let fault = launch(&mut memory, "read", 0).unwrap_err();
    assert_eq!(locations(&fault).0, "read.mlir:5:9");
    let Fault::Uninitialized(access) = &fault else {
        panic!("{fault}");
    };
    assert_eq!(&*access.place.as_ref().unwrap().buffer, "temporary 0");
    launch(&mut memory, "write16", 16).unwrap();
    memory.write(buffer, 33, &[0; 3]).unwrap();
    for at in 4..8 {
        launch(&mut memory, "read", at).unwrap();
    }
    for at in [3, 8] {
        let fault = launch(&mut memory, "read", at).unwrap_err();
        assert!(matches!(fault, Fault::Uninitialized(_)), "{fault}");
    }
    memory.write(buffer, 32, &[0]).unwrap();
    launch(&mut memory, "read", 8).unwrap();
}

/// An access beyond the end of a shared variable is a fault, although another variable follows.
#[test]
fn shared_variables_are_apart() {
    let program = program!("memory");
    run(&program, "neighbours", &launch(1, 1), &[int(7)]).unwrap();
    let fault = run(&program, "neighbours", &launch(1, 1), &[int(8)]).unwrap_err();
    let Fault::OutOfBounds(access) = &fault else {
        panic!("{fault}");
    };
    let place = access.place.as_ref().unwrap();
    assert_eq!(
        (&*place.buffer, place.offset, place.length),
        ("shared @static", 32, 32)
    );
    let info = program.kernels().find(|kernel| kernel.name == "neighbours");
    assert_eq!(info.unwrap().static_shared_bytes, 64);
}

/// Dynamic shared memory follows static shared memory, and has the size that the launch specifies.
#[test]
fn dynamic_shared_memory() {
    let program = program!("memory");
    let dynamic = |bytes, index| {
        let launch = Launch {
            dynamic_shared_bytes: bytes,
            ..launch(1, 1)
        };
        run(&program, "dynamic_shared", &launch, &[int(index)])
    };
    dynamic(100, 99).unwrap();
    assert!(matches!(dynamic(100, 100), Err(Fault::OutOfBounds(_))));
    assert!(matches!(dynamic(0, 0), Err(Fault::OutOfBounds(_))));
    assert!(matches!(
        dynamic(1 << 20, 0),
        Err(Fault::InvalidLaunch { .. })
    ));
}

/// A private array belongs to one thread, and keeps its values across barriers. An access outside
/// of the array is a fault.
#[test]
fn private_memory() {
    let program = program!("memory");
    let mut buffers = Buffers::new(70);
    let out = buffers.out();
    let mut private = |index| {
        program.launch(
            "private",
            &launch(1, 70),
            &[out, int(index)],
            &mut buffers.memory,
        )
    };
    for index in [4, 100_000, !0] {
        assert!(matches!(private(index), Err(Fault::OutOfBounds(_))));
    }
    assert_eq!(private(3).unwrap().private.reads, 70);
    assert_eq!(buffers.words(), (0..70).collect::<Vec<_>>());
}

/// Constants of the module can be read, also by a called function, but not written. A global
/// variable keeps its value between launches.
#[test]
fn variables_of_the_module() {
    let program = program!("memory");
    let mut buffers = Buffers::new(1);
    let params = [buffers.out(), bit(false)];
    for calls in 0..2 {
        program
            .launch("constants", &launch(1, 1), &params, &mut buffers.memory)
            .unwrap();
        assert_eq!(buffers.words(), [10 + calls]);
    }
    let params = [buffers.out(), bit(true)];
    let fault = program
        .launch("constants", &launch(1, 1), &params, &mut buffers.memory)
        .unwrap_err();
    assert!(matches!(fault, Fault::ReadOnly(_)), "{fault}");
    let mut big = Buffers::new(5);
    let params = [big.out(), bit(false)];
    let fault = program
        .launch("constants", &launch(1, 5), &params, &mut big.memory)
        .unwrap_err();
    assert!(
        fault.to_string().contains("variable @table (16 bytes)"),
        "{fault}"
    );
}

/// Copies are checked for their whole length at source and destination. Masked accesses are checked
/// only for the selected elements.
#[test]
fn copies_and_masks() {
    let program = program!("memory");
    for (bytes, fits) in [(12, true), (16, false)] {
        let mut buffers = Buffers::new(3);
        let input = buffers.add_words(&[1, 2, 3]);
        let params = [buffers.out(), input, long(bytes)];
        let result = program.launch("copy", &launch(1, 1), &params, &mut buffers.memory);
        assert_eq!(result.is_ok(), fits, "{result:?}");
        if fits {
            assert_eq!(buffers.words(), [1, 2, 3]);
        }
    }
}

/// A division that would trap on the host is a fault with a location. All other divisions are
/// computed.
#[test]
fn division() {
    let program = program!("memory");
    let mut buffers = Buffers::new(1);
    let out = buffers.out();
    let mut divide = |a: i32, b: i32| {
        let params = [out, int(a as u32), int(b as u32)];
        program.launch("divide", &launch(1, 1), &params, &mut buffers.memory)
    };
    for (a, b) in [(1, 0), (i32::MIN, -1)] {
        let fault = divide(a, b).unwrap_err();
        assert!(matches!(fault, Fault::Division(_)), "{fault}");
        assert_eq!(locations(&fault).0, "divide.mlir:3:3");
    }
    divide(-7, 2).unwrap();
    assert_eq!(buffers.words(), [-3i32 as u32]);
}

#[test]
fn ranges() {
    let program = program!("memory");
    let mut buffers = Buffers::new(64);
    let params = [buffers.out()];
    let mut threads =
        |count| program.launch("promised", &launch(1, count), &params, &mut buffers.memory);
    threads(48).unwrap();
    let fault = threads(49).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "out of range: expected a value from 0 to below 48, found 48 in `nvvm.read.ptx.sreg.tid.x` \
         at range.mlir:2:9 by thread (48, 0, 0) of block (0, 0, 0)"
    );
}

/// Recursive calls are supported. Recursion that exceeds the stack is a fault.
#[test]
fn recursion() {
    let program = program!("memory");
    let mut buffers = Buffers::new(1);
    let params = [buffers.out(), int(5)];
    program
        .launch("recursive", &launch(1, 1), &params, &mut buffers.memory)
        .unwrap();
    assert_eq!(buffers.words(), [15]);
    let params = [buffers.out(), int(1_000_000)];
    let fault = program
        .launch("recursive", &launch(1, 1), &params, &mut buffers.memory)
        .unwrap_err();
    assert!(matches!(fault, Fault::StackOverflow(_)), "{fault}");
}

/// In three-dimensional blocks and grids, special registers have the coordinates of the thread, and
/// lanes are numbered by the linear thread index.
#[test]
fn three_dimensions() {
    let program = program!("memory");
    let launch = Launch {
        grid: [2, 3, 2],
        block: [5, 4, 3],
        ..Launch::default()
    };
    let mut buffers = Buffers::new(12 * 60 * 2);
    program
        .launch("where", &launch, &[buffers.out()], &mut buffers.memory)
        .unwrap();
    for (index, found) in (0..).zip(buffers.words().chunks_exact(2)) {
        let thread = index % 60;
        assert_eq!(found, [thread % 32, thread / 32]);
    }
}

#[test]
fn host_access() {
    let mut memory = Memory::new();
    assert_eq!(memory.alloc("a", 8, 3), Err(MemoryError::Alignment(3)));
    let buffer = memory.alloc("a", 8, 4096).unwrap();
    assert_eq!(memory.address(buffer).unwrap() % 4096, 0);
    memory.write(buffer, 4, &[1, 2, 3, 4]).unwrap();
    let mut bytes = [9; 8];
    memory.read(buffer, 0, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 0, 0, 0, 1, 2, 3, 4]);
    assert!(memory.write(buffer, 5, &[0; 4]).is_err());
    assert!(memory.read(buffer, usize::MAX, &mut bytes).is_err());
}
