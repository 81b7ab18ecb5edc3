//! The library as `make install` installs it, and programs that pkg-config builds with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Prefix of the installation, below its folder.
const PREFIX: &str = "/opt/sortwell";

/// Returns a path below the folder of the crate.
pub fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// An installation of the library.
pub struct Installation {
    folder: PathBuf,
}

/// Returns the static library that cargo built for these tests, the newest of all.
fn static_library() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let folder = test.parent().expect("its folder");
    let entries = fs::read_dir(folder).expect("built files");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libsortwell_capi") && name.ends_with(".a")
    };
    let age = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    paths.filter(is_ours).max_by_key(age).expect("libsortwell_capi.a, which cargo builds")
}

/// Returns the command, which cargo built as an example of this crate.
pub fn command() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let built = test.ancestors().nth(2).expect("the folder of the build").join("examples/command");
    assert!(built.exists(), "no {}: run `cargo test -p sortwell-capi`", built.display());
    built
}

/// Returns the installation, which is made once; `None` without a C compiler, make or pkg-config.
pub fn installation() -> Option<&'static Installation> {
    static MADE: OnceLock<Option<Installation>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let programs = ["cc", "c++", "make", "pkg-config"];
        let missing = programs.into_iter().find(|program| !is_there(program));
        if let Some(program) = missing {
            left_out(&format!("there is no {program}"));
            return None;
        }
        // A folder of the build, as nothing would remove a temporary one at the end.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installation");
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("removed");
        }
        fs::create_dir_all(&folder).expect("a folder");
        let at = |name: &str| folder.join(name).display().to_string();
        let variables = [
            format!("STATIC={}", static_library().display()),
            format!("BUILD={}", at("build")),
            format!("DESTDIR={}", at("root")),
            format!("PREFIX={PREFIX}"),
        ];
        let mut make = Command::new("make");
        // The variables of the `make` that runs these tests are not for this one.
        make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").current_dir(source("."));
        succeeded(make.args(["--silent", "install"]).args(variables));
        Some(Installation { folder })
    });
    made.as_ref()
}

impl Installation {
    /// Returns a path below the prefix.
    pub fn at(&self, path: &str) -> PathBuf {
        self.root().join(PREFIX.trim_start_matches('/')).join(path)
    }

    fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    /// Returns the words that pkg-config prints.
    pub fn flags(&self, options: &[&str]) -> Vec<String> {
        let mut program = Command::new("pkg-config");
        program.env("PKG_CONFIG_LIBDIR", self.at("lib/pkgconfig"));
        program.env("PKG_CONFIG_SYSROOT_DIR", self.root());
        let printed = succeeded(program.args(options).arg("sortwell"));
        printed.split_whitespace().map(str::to_owned).collect()
    }

    /// Builds a program from a file of this crate, and returns its path.
    pub fn program(&self, path: &str) -> PathBuf {
        let name = Path::new(path).file_stem().expect("a name").to_string_lossy().into_owned();
        let built = self.folder.join(format!("{name}-{}", thread_name()));
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c11", "-O1", "-g", "-o"]).arg(&built).arg(source(path));
        succeeded(compiler.args(self.flags(&["--cflags", "--libs"])));
        built
    }

    /// Returns a call of a program that is linked with the library.
    pub fn call(&self, program: &Path) -> Command {
        let mut call = Command::new(program);
        call.env("LD_LIBRARY_PATH", self.at("lib"));
        call
    }
}

/// Returns the name of the test, which is that of its thread, as a part of the name of a file.
fn thread_name() -> String {
    std::thread::current().name().unwrap_or_default().replace("::", "-")
}

/// Returns whether a program can be run.
pub fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Says that a part of a test was left out, and why.
pub fn left_out(why: &str) {
    println!("LEFT OUT: {why}");
}

/// Runs a program that must succeed, and returns what it printed.
#[track_caller]
pub fn succeeded(program: &mut Command) -> String {
    let Output { status, stdout, stderr } = program.output().expect("the program");
    let (printed, words) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{program:?} fails with {status}:\n{printed}{words}");
    printed.into_owned()
}
