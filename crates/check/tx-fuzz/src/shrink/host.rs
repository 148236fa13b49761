//! Smaller host functions.

use crate::description::{Form, GridOp, Host, HostSource, View};
use crate::shrink::operands::{combines, drop_axis, drop_dimension, shapes, views};

pub(super) fn hosts(host: &Host) -> Vec<Host> {
    let mut all = Vec::new();
    for gone in 0..host.ops.len() {
        let mut smaller = host.clone();
        let mut possible = host.ops.len() > 1;
        for op in &mut smaller.ops[gone + 1..] {
            if let HostSource::Result(at) = &mut op.source {
                // If an op reads the result of op `gone`, the function cannot remove op `gone`.
                possible &= *at != gone;
                *at -= usize::from(*at > gone);
            }
        }
        if possible {
            smaller.ops.remove(gone);
            all.push(smaller);
        }
    }
    if host.free {
        all.push(Host {
            free: false,
            ..host.clone()
        });
    }
    for (at, op) in host.ops.iter().enumerate() {
        for smaller in smaller_grid_ops(host, op) {
            let mut with = host.clone();
            with.ops[at] = smaller;
            all.push(with);
        }
    }
    all
}

/// Returns the shape of the source of a grid-level op.
fn shape_of(host: &Host, op: &GridOp) -> Option<Vec<usize>> {
    match &op.source {
        HostSource::Fresh(shape, _) => Some(shape.clone()),
        HostSource::Result(at) => {
            let from = host.ops.get(*at)?;
            let shape = shape_of(host, from)?;
            match from.form {
                Form::Map | Form::Copy => Some(shape),
                Form::Window(_) => Some(shape.get(..2)?.to_vec()),
                _ => crate::derive::reduced(&shape, &from.axes, from.keep).ok(),
            }
        }
    }
}

fn smaller_grid_ops(host: &Host, op: &GridOp) -> Vec<GridOp> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut GridOp)| {
        let mut smaller = op.clone();
        change(&mut smaller);
        if smaller != *op {
            all.push(smaller);
        }
    };
    with(&|op| op.schedule = None);
    if let Some(steps) = &op.schedule {
        for i in 0..steps.len() {
            with(&|op| {
                if let Some(steps) = &mut op.schedule {
                    steps.remove(i);
                }
            });
        }
    }
    match &op.source {
        HostSource::Result(_) => {
            if let Some(shape) = shape_of(host, op) {
                with(&|op| op.source = HostSource::Fresh(shape.clone(), View::default()));
            }
        }
        HostSource::Fresh(shape, view) => {
            for (smaller, dropped) in shapes(shape) {
                with(&|op| {
                    let view = match dropped {
                        Some(gone) => drop_dimension(view, gone),
                        None => view.clone(),
                    };
                    op.source = HostSource::Fresh(smaller.clone(), view);
                    if let Some(gone) = dropped {
                        op.axes = drop_axis(&op.axes, gone);
                        op.order = drop_axis(&op.order, gone);
                    }
                });
            }
            for smaller in views(view) {
                with(&|op| op.source = HostSource::Fresh(shape.clone(), smaller.clone()));
            }
        }
    }
    with(&|op| op.element = None);
    with(&|op| op.epilogue = None);
    with(&|op| op.order.clear());
    with(&|op| op.temporary = false);
    with(&|op| op.keep = false);
    match op.form {
        Form::Tile | Form::Map | Form::Copy => {}
        Form::Window(true) => with(&|op| op.form = Form::Window(false)),
        _ => with(&|op| op.form = Form::Tile),
    }
    for i in 0..op.axes.len() {
        with(&|op| {
            op.axes.remove(i);
        });
    }
    for view in views(&op.view) {
        with(&|op| op.view = view.clone());
    }
    for combine in combines(&op.combine) {
        with(&|op| op.combine = combine.clone());
    }
    all
}
