//! Kernel builder with its arguments and their expected contents.

use std::sync::Arc;

use crate::element::Element;
use crate::npy::Array;
use crate::reference::Expected;

/// For each result, the positions of the elements in the source argument that contribute to the
/// result.
pub(crate) type Rows = Arc<Vec<Vec<usize>>>;

/// Argument of a program, with its contents before the run.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) element: Element,
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<u64>,
}

/// Argument whose contents after the run are compared with expected values.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) argument: usize,
    /// Label in messages, such as `max accumulate`.
    pub(crate) label: String,
    pub(crate) expected: Vec<Expected>,
    /// Argument from which the output is computed.
    pub(crate) source: usize,
    pub(crate) rows: Rows,
}

/// Program with its arguments and outputs.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) program: String,
    /// Required chip; `None` for any chip.
    pub(crate) chip: Option<&'static str>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) outputs: Vec<Output>,
}

pub(crate) fn array(element: Element, shape: &[usize], values: &[u64]) -> Array {
    Array {
        descr: element.descr().to_owned(),
        shape: shape.to_vec(),
        bytes: element.pack(values),
    }
}

/// Scope of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Thread,
    Warp,
    Warpgroup,
    Cta,
}

impl Scope {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Warp => "warp",
            Self::Warpgroup => "warpgroup",
            Self::Cta => "cta",
        }
    }

    pub(crate) fn threads(self, block: usize) -> usize {
        match self {
            Self::Thread => 1,
            Self::Warp => 32,
            Self::Warpgroup => 128,
            Self::Cta => block,
        }
    }

    /// Returns the number of groups of a block; the last group may be partial.
    pub(crate) fn groups(self, block: usize) -> usize {
        block.div_ceil(self.threads(block))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Global,
    Shared,
    Private,
}

impl Storage {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Private => "private",
        }
    }
}

/// Builder of a kernel. Every tile consists of one slab for each group of threads of the scope, and
/// each group accesses only its slab.
pub(crate) struct KernelBuilder {
    pub(crate) scope: Scope,
    pub(crate) storage: Storage,
    pub(crate) block: usize,
    /// Set if the sizes of tiles are dynamic.
    pub(crate) dynamic: bool,
    pub(crate) case: Case,
    aliases: String,
    parameters: Vec<String>,
    workgroup: Vec<String>,
    private: Vec<String>,
    body: Vec<String>,
    after: Vec<String>,
}

/// Operand: name and type.
#[derive(Clone)]
pub(crate) struct Operand {
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) argument: usize,
}

fn extents(shape: &[usize], dynamic: bool) -> String {
    shape
        .iter()
        .map(|extent| {
            if dynamic {
                "?x".to_owned()
            } else {
                format!("{extent}x")
            }
        })
        .collect()
}

pub(crate) fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(", ")
}

impl KernelBuilder {
    pub(crate) fn new(scope: Scope, storage: Storage, block: usize, dynamic: bool) -> Self {
        let mut kernel = Self {
            scope,
            storage,
            block,
            dynamic,
            case: Case::default(),
            aliases: String::new(),
            parameters: Vec::new(),
            workgroup: Vec::new(),
            private: Vec::new(),
            body: Vec::new(),
            after: Vec::new(),
        };
        if kernel.groups() > 1 {
            kernel.line("%thread = gpu.thread_id x");
            kernel.line(format!(
                "%size = arith.constant {} : index",
                scope.threads(block)
            ));
            kernel.line("%group = arith.divui %thread, %size : index");
        }
        kernel
    }

    pub(crate) fn groups(&self) -> usize {
        self.scope.groups(self.block)
    }

    pub(crate) fn alias(&mut self, name: &str, attribute: &str) {
        self.aliases.push_str(&format!("#{name} = {attribute}\n"));
    }

    pub(crate) fn line(&mut self, line: impl Into<String>) {
        self.body.push(line.into());
    }

    /// Adds an argument with the tiles of all groups.
    pub(crate) fn argument(
        &mut self,
        element: Element,
        shape: &[usize],
        values: Vec<u64>,
    ) -> Operand {
        let argument = self.case.arguments.len();
        let name = format!("%a{argument}");
        let ty = format!("memref<{}{}>", extents(shape, self.dynamic), element.mlir());
        self.parameters.push(format!("{name}: {ty}"));
        self.case.arguments.push(Argument {
            element,
            shape: shape.to_vec(),
            values,
        });
        Operand { name, ty, argument }
    }

    /// Adds a tile for each group in the kernel's storage. If `filled` is true, the kernel
    /// initializes the tile from the argument. If `kept` is true, the kernel copies the tile to the
    /// argument at its end.
    pub(crate) fn tile(
        &mut self,
        element: Element,
        shape: &[usize],
        values: Vec<u64>,
        filled: bool,
        kept: bool,
    ) -> Operand {
        let groups = self.groups();
        let mut all = shape.to_vec();
        if groups > 1 {
            all.insert(0, groups);
        }
        let global = self.argument(element, &all, values);
        let argument = global.argument;
        let space = |space: &str| format!(", #gpu.address_space<{space}>");
        match self.storage {
            Storage::Global => self.slab(&global, element, shape, ""),
            Storage::Shared => {
                let shared = Operand {
                    name: format!("%s{argument}"),
                    ty: format!(
                        "memref<{}{}{}>",
                        extents(&all, false),
                        element.mlir(),
                        space("workgroup")
                    ),
                    argument,
                };
                self.workgroup
                    .push(format!("{} : {}", shared.name, shared.ty));
                self.copies("cta", &global, &shared, filled, kept);
                self.slab(&shared, element, shape, &space("workgroup"))
            }
            Storage::Private => {
                let slab = self.slab(&global, element, shape, "");
                let private = Operand {
                    name: format!("%p{argument}"),
                    ty: format!(
                        "memref<{}{}{}>",
                        extents(shape, false),
                        element.mlir(),
                        space("private")
                    ),
                    argument,
                };
                self.private
                    .push(format!("{} : {}", private.name, private.ty));
                self.copies("thread", &slab, &private, filled, kept);
                private
            }
        }
    }

    fn copies(&mut self, scope: &str, global: &Operand, local: &Operand, filled: bool, kept: bool) {
        let copy = |from: &Operand, to: &Operand| {
            format!(
                "tile.copy {} to {} scope({scope}) : {} to {}",
                from.name, to.name, from.ty, to.ty
            )
        };
        if filled {
            self.body.push(copy(global, local));
        }
        if kept {
            self.after.push(copy(local, global));
        }
    }

    /// Returns the slab that the group of the current thread accesses.
    fn slab(&mut self, whole: &Operand, element: Element, shape: &[usize], space: &str) -> Operand {
        if self.groups() == 1 {
            return whole.clone();
        }
        let name = format!("{}g", whole.name);
        let rank = shape.len() + 1;
        let mut sizes = vec!["1".to_owned()];
        let mut strides = Vec::new();
        for dimension in 0..shape.len() {
            if self.dynamic {
                let size = format!("{name}d{dimension}");
                self.body.push(format!(
                    "{size}i = arith.constant {} : index",
                    dimension + 1
                ));
                self.body.push(format!(
                    "{size} = memref.dim {}, {size}i : {}",
                    whole.name, whole.ty
                ));
                sizes.push(size);
                let last = dimension + 1 == shape.len();
                strides.push(if last { "1" } else { "?" }.to_owned());
            } else {
                sizes.push(shape[dimension].to_string());
                strides.push(shape[dimension + 1..].iter().product::<usize>().to_string());
            }
        }
        let mut starts = vec!["0".to_owned(); rank];
        starts[0] = "%group".to_owned();
        let ty = format!(
            "memref<{}{}, strided<[{}], offset: ?>{space}>",
            extents(shape, self.dynamic),
            element.mlir(),
            strides.join(", ")
        );
        self.body.push(format!(
            "{name} = memref.subview {}[{}] [{}] [{}] : {} to {ty}",
            whole.name,
            starts.join(", "),
            sizes.join(", "),
            list(&vec![1; rank]),
            whole.ty
        ));
        Operand {
            name,
            ty,
            argument: whole.argument,
        }
    }

    pub(crate) fn output(
        &mut self,
        argument: usize,
        label: String,
        expected: Vec<Expected>,
        source: usize,
        rows: &Rows,
    ) {
        self.case.outputs.push(Output {
            argument,
            label,
            expected,
            source,
            rows: rows.clone(),
        });
    }

    pub(crate) fn finish(mut self) -> Case {
        let body: String = self
            .body
            .iter()
            .chain(&self.after)
            .flat_map(|lines| lines.lines())
            .map(|line| format!("      {line}\n"))
            .collect();
        let attributions = |kind: &str, list: &[String]| {
            if list.is_empty() {
                String::new()
            } else {
                format!("\n        {kind}({})", list.join(",\n          "))
            }
        };
        self.case.program = format!(
            "{}module attributes {{gpu.container_module}} {{\n\
             \x20 gpu.module @conformance {{\n\
             \x20   gpu.func @kernel({}){}{}\n\
             \x20       kernel attributes {{known_block_size = array<i32: {}, 1, 1>, \
             known_grid_size = array<i32: 1, 1, 1>}} {{\n\
             {body}\
             \x20     gpu.return\n\
             \x20   }}\n\
             \x20 }}\n\
             }}\n",
            self.aliases,
            self.parameters.join(",\n          "),
            attributions("workgroup", &self.workgroup),
            attributions("private", &self.private),
            self.block,
        );
        self.case
    }
}
