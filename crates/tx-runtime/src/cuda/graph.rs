//! Launches that are recorded once and started with one call of the driver.

use cudarc::driver::result as driver;
use cudarc::driver::sys;

use super::{Context, During, Resident};
use crate::bind::Job;
use crate::error::Error;

/// Launches as a CUDA graph.
#[derive(Debug)]
pub(crate) struct Graph {
    context: Context,
    launches: sys::CUgraphExec,
}

impl Graph {
    /// Records the launches of jobs, in this order.
    pub(crate) fn record<'a, 'm: 'a>(
        context: &Context,
        runs: impl IntoIterator<Item = (&'a Resident<'m>, &'a Job)>,
    ) -> Result<Self, Error> {
        context.make_current()?;
        let stream = Stream::new()?;
        // SAFETY: the stream lives until the end of this function. Other threads may allocate meanwhile.
        unsafe {
            let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            driver::stream::begin_capture(stream.0, mode)
        }
        .during(|| "beginning a graph".to_owned())?;
        let recorded = runs.into_iter().try_for_each(|(resident, job)| {
            // SAFETY: the stream is of the context that was made current. What is recorded is
            // launched while the residents live: see `crate::Graph`.
            unsafe { resident.launch_on(job, stream.0) }
        });
        // A stream that records must be told to stop, whatever went wrong.
        // SAFETY: the stream is recording.
        let graph = unsafe { driver::stream::end_capture(stream.0) };
        recorded?;
        let graph = Template(graph.during(|| "ending a graph".to_owned())?);
        // SAFETY: the graph was just recorded.
        let launches =
            unsafe { driver::graph::instantiate(graph.0, sys::CUgraphInstantiate_flags(0)) }
                .during(|| "preparing a graph".to_owned())?;
        Ok(Self {
            context: context.clone(),
            launches,
        })
    }

    /// Starts all launches.
    pub(crate) fn launch(&self) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: the graph lives as long as `self`; the null stream is always there.
        unsafe { driver::graph::launch(self.launches, std::ptr::null_mut()) }
            .during(|| "launching a graph".to_owned())?;
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // After a fault every call fails, and the context takes the graph with it.
        if self.context.make_current().is_ok() {
            // SAFETY: made in `record`, destroyed once; what it started goes on.
            let _ = unsafe { driver::graph::exec_destroy(self.launches) };
        }
    }
}

/// A graph as it was recorded.
struct Template(sys::CUgraph);

impl Drop for Template {
    fn drop(&mut self) {
        // SAFETY: recorded, destroyed once; what was made of it does not need it.
        let _ = unsafe { driver::graph::destroy(self.0) };
    }
}

/// A stream that waits for no other: the null stream cannot record.
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
