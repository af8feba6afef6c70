//! Scheduled jobs, their runs, and the runners that carry them out.
