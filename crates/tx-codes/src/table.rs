//! The table: a file for each part. A number is given once; what is added to a part goes to its end.

mod dialect;
mod linalg;
mod plans;
mod running;
mod schedules;
mod scopes;
mod targets;
mod validation;
mod variants;

use crate::Group;

pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "Rules of the `tile` dialect",
        codes: dialect::CODES,
    },
    Group {
        title: "Scopes and barriers",
        codes: scopes::CODES,
    },
    Group {
        title: "Variants and laws of combiners",
        codes: variants::CODES,
    },
    Group {
        title: "Whole jobs and schedules",
        codes: schedules::CODES,
    },
    Group {
        title: "Reductions of `linalg`",
        codes: linalg::CODES,
    },
    Group {
        title: "Targets and PTX",
        codes: targets::CODES,
    },
    Group {
        title: "Launch plans",
        codes: plans::CODES,
    },
    Group {
        title: "Validation",
        codes: validation::CODES,
    },
    Group {
        title: "Programs that run",
        codes: running::CODES,
    },
];
