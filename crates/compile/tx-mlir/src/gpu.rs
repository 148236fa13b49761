//! Accessors of GPU kernels, of kernel launches, and of the objects in a `gpu.binary`.

use crate::ir::dictionary_of;
use crate::ir::{
    Op, Val, attribute, byte_width, context, defining_op, dictionary, discardable_attributes,
    elements, i32_array, integer_value, is, operand_groups, operands, parse_attribute, results,
    set_attribute, set_operands, walk,
};
use crate::memref::MemRef;
use crate::suggest::nearest;
use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, AttributeLike};
use mlir_sys::{
    mlirAttributeIsAGPUObjectAttr, mlirGPUObjectAttrGetFormat, mlirGPUObjectAttrGetKernels,
    mlirGPUObjectAttrGetObject, mlirGPUObjectAttrGetProperties, mlirGPUObjectAttrGetTarget,
    mlirGPUObjectAttrGetWithKernels,
};

/// Returns whether `op` is a `gpu.func` marked as a kernel.
pub fn is_kernel(op: Op<'_>) -> bool {
    is(op, "gpu.func")
        && (attribute(op, "kernel").is_some() || attribute(op, "gpu.kernel").is_some())
}

/// Name of the op that returns the dynamic shared memory of a block.
pub const DYNAMIC_SHARED: &str = "gpu.dynamic_shared_memory";

/// Returns the size in bytes of the dynamic shared memory that a kernel accesses; `None` if the
/// size is not constant.
pub fn dynamic_shared_bytes(kernel: Op<'_>) -> Option<u64> {
    let is_dynamic = |value: Val<'_>| defining_op(value).is_some_and(|op| is(op, DYNAMIC_SHARED));
    let mut most = 0;
    for op in walk(kernel) {
        let all = operands(op);
        if !all.iter().any(|value| is_dynamic(*value)) {
            continue;
        }
        let shift = match is(op, "memref.view") {
            true => integer_value(attribute(defining_op(all[1])?, "value")?)?,
            false => return None,
        };
        let seen = MemRef::of(results(op)[0])?;
        let bytes = seen.elements()?.checked_mul(byte_width(seen.element)?)?;
        most = bytes.checked_add(u64::try_from(shift).ok()?)?.max(most);
    }
    Some(most)
}

/// Operands of a `gpu.launch_func`.
pub struct LaunchOperands<'c> {
    /// Whether the `gpu.launch_func` is asynchronous: it has async dependencies, returns a token,
    /// or has a stream operand.
    pub is_async: bool,
    /// Number of blocks along x, y and z.
    pub grid: [Val<'c>; 3],
    /// Number of threads per block along x, y and z.
    pub block: [Val<'c>; 3],
    /// Number of blocks per cluster along x, y and z.
    pub cluster: Option<[Val<'c>; 3]>,
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: Option<Val<'c>>,
    /// Arguments of the kernel.
    pub arguments: Vec<Val<'c>>,
}

/// Index of the operand group that contains the dynamic shared memory size of a `gpu.launch_func`.
const DYNAMIC_SHARED_GROUP: usize = 10;

impl<'c> LaunchOperands<'c> {
    /// Reads the operands of a `gpu.launch_func`; `None` for an op that MLIR's verifier rejects.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let groups = operand_groups(op)?;
        let one = |group: usize| groups.get(group)?.first().copied();
        let three = |first: usize| Some([one(first)?, one(first + 1)?, one(first + 2)?]);
        let [waits, .., arguments, objects] = &groups[..] else {
            return None;
        };
        Some(Self {
            is_async: !waits.is_empty() || !objects.is_empty() || !results(op).is_empty(),
            grid: three(1)?,
            block: three(4)?,
            cluster: three(7),
            dynamic_shared: one(DYNAMIC_SHARED_GROUP),
            arguments: arguments.clone(),
        })
    }

    /// Sets the dynamic shared memory size of a launch. `bytes` is an `i32` value: the size in
    /// bytes.
    pub fn set_dynamic_shared(op: Op<'c>, bytes: Val<'c>) {
        let Some(mut groups) = operand_groups(op) else {
            return;
        };
        if let Some(group) = groups.get_mut(DYNAMIC_SHARED_GROUP) {
            *group = vec![bytes];
        }
        let sizes: Vec<i64> = groups.iter().map(|group| group.len() as i64).collect();
        set_operands(op, &groups.concat());
        let sizes = i32_array(context(op), &sizes);
        set_attribute(op, "operandSegmentSizes", sizes);
    }
}

/// Returns the contents of the objects in a `gpu.binary`. Objects that `tx` compiled contain PTX
/// text.
pub fn object_texts(binary: Op<'_>) -> Vec<String> {
    objects(binary)
        .into_iter()
        // SAFETY: `objects` returns only GPU objects, which stay alive while their text is copied.
        .map(|object| unsafe {
            let text = mlirGPUObjectAttrGetObject(object.to_raw());
            let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.length);
            String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
        })
        .collect()
}

fn objects<'c>(binary: Op<'c>) -> Vec<Attribute<'c>> {
    attribute(binary, "objects")
        .and_then(elements)
        .unwrap_or_default()
        .into_iter()
        // SAFETY: the attribute is alive.
        .filter(|object| unsafe { mlirAttributeIsAGPUObjectAttr(object.to_raw()) })
        .collect()
}

/// Replaces a `gpu.module` by a `gpu.binary` with one assembly object.
pub fn replace_by_binary(module: Op<'_>, target: Attribute<'_>, assembly: &str, properties: &str) {
    /// Value of `gpu::CompilationTarget::Assembly`.
    const ASSEMBLY: u32 = 2;
    let b = crate::Builder::before(module);
    let text = mlir_sys::MlirStringRef {
        data: assembly.as_ptr().cast(),
        length: assembly.len(),
    };
    // SAFETY: all attributes belong to the context of the module, and the text is copied. A null
    // attribute denotes an absent kernel table.
    let object = unsafe {
        Attribute::from_raw(mlirGPUObjectAttrGetWithKernels(
            context(module).to_raw(),
            target.to_raw(),
            ASSEMBLY,
            text,
            parse_attribute(context(module), properties).to_raw(),
            mlir_sys::mlirAttributeGetNull(),
        ))
    };
    let name = attribute(module, "sym_name").expect("a GPU module has a name");
    b.create("gpu.binary")
        .attr("sym_name", name)
        .attr_text("offloadingHandler", "#gpu.select_object")
        .attr(
            "objects",
            ArrayAttribute::new(context(module), &[object]).into(),
        )
        .build();
    crate::erase(module);
}

/// Removes the properties whose names end in `TimeInMs` from each object of a `gpu.binary`. Returns
/// the number of removed properties.
pub fn strip_object_times(binary: Op<'_>) -> i64 {
    let mut removed = 0;
    let stripped: Vec<Attribute<'_>> = objects(binary)
        .into_iter()
        .map(|object| {
            // SAFETY: `objects` returns only GPU objects, and the code does not access null
            // attributes.
            unsafe {
                let properties = mlirGPUObjectAttrGetProperties(object.to_raw());
                if properties.ptr.is_null() {
                    return object;
                }
                let all = dictionary(Attribute::from_raw(properties));
                let kept: Vec<(&str, Attribute<'_>)> = all
                    .iter()
                    .filter(|(name, _)| !name.ends_with("TimeInMs"))
                    .map(|(name, value)| (&**name, *value))
                    .collect();
                removed += i64::try_from(all.len() - kept.len()).unwrap_or(0);
                let kept = dictionary_of(context(binary), &kept);
                Attribute::from_raw(mlirGPUObjectAttrGetWithKernels(
                    context(binary).to_raw(),
                    mlirGPUObjectAttrGetTarget(object.to_raw()),
                    mlirGPUObjectAttrGetFormat(object.to_raw()),
                    mlirGPUObjectAttrGetObject(object.to_raw()),
                    kept.to_raw(),
                    mlirGPUObjectAttrGetKernels(object.to_raw()),
                ))
            }
        })
        .collect();
    if removed > 0 {
        set_attribute(
            binary,
            "objects",
            ArrayAttribute::new(context(binary), &stripped).into(),
        );
    }
    removed
}

/// Returns a note for a kernel whose `known_block_size` attribute is absent, misspelt, or not an
/// `array<i32>`.
pub fn missing_block_size(kernel: Op<'_>) -> String {
    const NAME: &str = "known_block_size";
    let expected = format!("`attributes {{{NAME} = array<i32: X, Y, Z>}}`");
    if let Some(found) = attribute(kernel, NAME) {
        return format!("found `{NAME} = {found}`, expected {expected}");
    }
    let near = discardable_attributes(kernel)
        .into_iter()
        .find(|(name, _)| nearest(name.as_str(), [NAME]).is_some());
    match near {
        Some((name, _)) => format!("`{name}` has no effect: did you mean `{NAME}`?"),
        None => {
            format!("add {expected} to this `gpu.func`")
        }
    }
}
