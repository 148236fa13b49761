//! The passes and pipelines of `tx`, one file per pass. `registry!` below lists the passes in
//! pipeline order.
#![forbid(unsafe_code)]

mod analysis;
mod analyze_scope;
mod attach_target;
mod check_externals;
mod check_target;
mod check_written;
mod choose_schedule;
mod collapse_loops;
mod combiner;
mod compute_sizes;
mod convert_linalg_to_tile;
mod convert_math;
mod convert_shuffle;
mod convert_subgroup;
mod convert_tile_to_gpu;
mod declare_dynamic_shared_memory;
mod decompose_softmax;
mod detach_inits;
mod drop_asserts;
mod elementary;
mod emit;
mod emit_ptx;
mod exchange;
mod expand_cache_hints;
mod expand_math;
mod expand_reduce;
mod expand_shuffle_tree;
pub mod explain;
mod fill_splats;
mod form_kernels;
mod free_temporaries;
mod grid;
mod hoist_attributes;
mod insert_sync;
mod isolate_functions;
mod keep_vectors;
mod linalg;
mod linearize_strides;
mod list_candidates;
mod pipelines;
mod prepare_module;
mod printf;
mod promote_results;
mod require_block_size;
mod restore_functions;
mod schedule;
mod select_variant;
mod sink_attributes;
mod sink_scalars;
mod strip_times;
mod use_dynamic_shared_memory;
mod variants;

pub use combiner::Combiner;
pub use compute_sizes::has_host_stores;
pub use decompose_softmax::has_softmax;
pub use drop_asserts::has_body_asserts;
pub use isolate_functions::has_tensors;
pub use pipelines::{EMIT, INLINE, PIPELINES, lower_gpu_modules};
pub use tx_dialect_tile::CANDIDATES;
pub use variants::{
    Params, Predicate, Reduction, Variant, has_variants_of_others, register_variant,
    unknown_variant, variants,
};

/// Checks and IR builders for variants, including variants of other crates.
pub mod parts {
    pub use crate::emit::{Body, Group, all_reduce, delinearize, extents, index_as, nest, product};
    pub use crate::variants::checks;
    pub use crate::variants::parts::{
        element_number, expand_sequential, load_elements, source_index, store_result,
    };
}

tx_mlir::pass::registry! {
    isolate_functions::IsolateFunctions,
    check_written::CheckWritten,
    compute_sizes::ComputeSizes,
    fill_splats::FillSplats,
    decompose_softmax::DecomposeSoftmax,
    drop_asserts::DropAsserts,
    sink_scalars::SinkScalars,
    detach_inits::DetachInits,
    sink_attributes::SinkAttributes,
    promote_results::PromoteResults,
    free_temporaries::FreeTemporaries,
    hoist_attributes::HoistAttributes,
    restore_functions::RestoreFunctions,
    convert_linalg_to_tile::ConvertLinalgToTile,
    form_kernels::FormKernels,
    collapse_loops::CollapseLoops,
    choose_schedule::ChooseSchedule,
    list_candidates::ListCandidates,
    schedule::Schedule,
    attach_target::AttachTarget,
    analyze_scope::AnalyzeScope,
    select_variant::SelectVariant,
    expand_reduce::ExpandReduce,
    expand_shuffle_tree::ExpandShuffleTree,
    insert_sync::InsertSync,
    convert_tile_to_gpu::ConvertTileToGpu,
    use_dynamic_shared_memory::UseDynamicSharedMemory,
    prepare_module::PrepareModule,
    linearize_strides::LinearizeStrides,
    convert_subgroup::ConvertSubgroup,
    expand_math::ExpandMath,
    convert_math::ConvertMath,
    convert_shuffle::ConvertShuffle,
    require_block_size::RequireBlockSize,
    declare_dynamic_shared_memory::DeclareDynamicSharedMemory,
    expand_cache_hints::ExpandCacheHints,
    keep_vectors::KeepVectors,
    check_externals::CheckExternals,
    check_target::CheckTarget,
    emit_ptx::EmitPtx,
    strip_times::StripTimes,
}

/// Registers every pass and pipeline with MLIR. The second and later calls in a process have no
/// effect.
pub fn register() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        tx_mlir::registration::register_upstream_passes();
        for pass in PASSES {
            pass.register();
        }
        for pipeline in &PIPELINES {
            pipeline.register();
        }
    });
}
