//! The page of many tasks: the table, and the report of each in a folder beside it.

use super::page;
use report::page::{Page, TaskRow};
use std::path::{Path, PathBuf};

/// The folder for the reports of the tasks of a page.
pub fn folder_of(page: &Path) -> PathBuf {
    let mut name = page.file_stem().unwrap_or_default().to_os_string();
    name.push("-tasks");
    page.with_file_name(name)
}

/// The report of the task with this number, and how the page links to it.
pub fn of_task(page: &Path, number: usize) -> (PathBuf, String) {
    let folder = folder_of(page);
    let name = format!("{number}.html");
    let link = format!("{}/{name}", folder.file_name().unwrap_or_default().to_string_lossy());
    (folder.join(name), link)
}

/// The page about many tasks.
pub fn of_tasks(rows: Vec<TaskRow>, text: &str) -> Page {
    let title = format!("{} tasks", rows.len());
    Page { tasks: rows, ..page("verify", title, text) }
}
