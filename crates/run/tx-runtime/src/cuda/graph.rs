//! CUDA graphs of recorded launches.

use cudarc::driver::result as driver;
use cudarc::driver::sys;

use super::context::Context;
use super::devices::During;
use super::module::PreparedModule;
use crate::bind::BoundPlan;
use crate::error::Error;

#[derive(Debug)]
pub(crate) struct Graph {
    context: Context,
    launches: sys::CUgraphExec,
}

impl Graph {
    /// Captures the launches of several bound plans, in order, as one graph.
    pub(crate) fn record<'a, 'm: 'a>(
        context: &Context,
        runs: impl IntoIterator<Item = (&'a PreparedModule<'m>, &'a BoundPlan)>,
    ) -> Result<Self, Error> {
        context.make_current()?;
        let stream = Stream::new()?;
        // SAFETY: the stream lives until the end of this function. The thread-local mode lets other
        // threads allocate during the capture.
        unsafe {
            let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            driver::stream::begin_capture(stream.0, mode)
        }
        .during(|| "beginning a graph".to_owned())?;
        let recorded = runs.into_iter().try_for_each(|(prepared, bound)| {
            // SAFETY: the stream belongs to the current context. `crate::Graph` keeps the modules
            // alive while the graph can be launched.
            unsafe { prepared.launch_on(bound, stream.0) }
        });
        // The capture must end even after an error. SAFETY: the stream is capturing.
        let graph = unsafe { driver::stream::end_capture(stream.0) };
        recorded?;
        let graph = Template(graph.during(|| "ending a graph".to_owned())?);
        // SAFETY: the graph was just captured.
        let launches =
            unsafe { driver::graph::instantiate(graph.0, sys::CUgraphInstantiate_flags(0)) }
                .during(|| "preparing a graph".to_owned())?;
        Ok(Self {
            context: context.clone(),
            launches,
        })
    }

    pub(crate) fn launch(&self) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: the graph lives as long as `self`; the null stream always exists.
        unsafe { driver::graph::launch(self.launches, std::ptr::null_mut()) }
            .during(|| "launching a graph".to_owned())?;
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // After a fault, every driver call fails, and the driver destroys the graph with its
        // context.
        if self.context.make_current().is_ok() {
            // SAFETY: `record` created the graph, which is destroyed once; running launches
            // continue.
            let _ = unsafe { driver::graph::exec_destroy(self.launches) };
        }
    }
}

/// Captured graph, before its instantiation.
struct Template(sys::CUgraph);

impl Drop for Template {
    fn drop(&mut self) {
        // SAFETY: the graph is destroyed once, and the instantiated graph does not need the
        // captured graph.
        let _ = unsafe { driver::graph::destroy(self.0) };
    }
}

/// Non-blocking stream that captures the launches, because the null stream does not support
/// capture.
struct Stream(sys::CUstream);

impl Stream {
    fn new() -> Result<Self, Error> {
        let stream = driver::stream::create(driver::stream::StreamKind::NonBlocking)
            .during(|| "creating a stream".to_owned())?;
        Ok(Self(stream))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed once.
        let _ = unsafe { driver::stream::destroy(self.0) };
    }
}
