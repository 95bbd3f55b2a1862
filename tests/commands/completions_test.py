"""Completions in the shells themselves, and every page of help: does a person find what there is?"""

import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.runner import Skip, run_module  # noqa: E402

GATELEG = os.environ["GATELEG_BIN"]


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, **options)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def completions(shell):
    if not shutil.which(shell):
        raise Skip(f"{shell} is not here")
    return run(GATELEG, "completions", shell)


def test_bash():
    """bash completes commands, options and what an option may be"""
    script = completions("bash")

    def words(*typed):
        line = " ".join(f"'{word}'" for word in typed)
        return run("bash", "-c", f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(typed) - 1}; _gateleg; printf '%s\\n' \"${{COMPREPLY[@]}}\"").split()

    assert set(words("gateleg", "se")) >= {"serve", "set-admin-role"}
    assert words("gateleg", "serve", "--dura") == ["--durability"]
    assert words("gateleg", "serve", "--durability", "") == ["fsync", "process"]


def test_fish():
    """fish completes commands, options and what an option may be"""
    script = completions("fish")

    def words(typed):
        return [line.split("\t")[0] for line in run("fish", "--no-config", "-c", f"{script}\ncomplete -C '{typed}'").splitlines()]

    assert set(words("gateleg se")) >= {"serve", "set-admin-role"}
    assert words("gateleg serve --dura") == ["--durability"]
    assert words("gateleg serve --durability ") == ["fsync", "process"]


def test_zsh():
    """zsh completes commands, options and what an option may be, in a terminal"""
    script = completions("zsh")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "_gateleg").write_text(script)
        shell, terminal = pty.fork()
        if not shell:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "xterm"})

        def type_and_see(text, wanted):
            os.write(terminal, text.encode())
            seen, until = b"", time.monotonic() + 60
            while wanted not in seen and time.monotonic() < until:
                if select.select([terminal], [], [], 0.5)[0]:
                    seen += os.read(terminal, 65536)
            assert wanted in seen, (text, seen)

        try:
            type_and_see(f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy\n", b"ready\r\n")
            # What completes a word appears behind it.
            type_and_see("gateleg fsck-o\t", b"bjects")
            type_and_see("\x15gateleg serve --dura\t", b"bility")
            type_and_see("\x15gateleg serve --durability pro\t", b"cess")
        finally:
            os.kill(shell, signal.SIGKILL)
            os.waitpid(shell, 0)
            os.close(terminal)


def test_help():
    """every command has help with its usage that fits a terminal, and the manual page names them all"""
    page = run(GATELEG, "man")
    script = run(GATELEG, "completions", "fish")
    commands = {line.split("-a ")[1].split()[0].strip("'\"") for line in script.splitlines()
                if "__fish_use_subcommand" in line and "-a " in line}
    assert len(commands) > 15, commands
    for command in commands:
        text = run(GATELEG, command, "--help")
        assert "Usage:" in text and "--help" in text, text
        assert all(len(line) <= 100 for line in text.splitlines()), max(text.splitlines(), key=len)
        assert command.replace("-", "\\-") in page or command in page, f"{command} is not in the manual page"


if __name__ == "__main__":
    run_module("__main__")
