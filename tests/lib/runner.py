"""Runs functions named test_* of a module: a line a test, a fixed last line."""

import sys
import traceback


class Skip(Exception):
    """The machine cannot run this test; the text says why."""


def run_module(module_name):
    module = sys.modules[module_name]
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    passed = failed = 0
    for name, test in list(vars(module).items()):
        if not name.startswith("test_") or wanted not in name:
            continue
        title = (test.__doc__ or name).strip().splitlines()[0]
        try:
            test()
        except Skip as reason:
            print(f"skip {title} ({reason})", flush=True)
            continue
        except BaseException as error:  # noqa: a failure of any kind is a failed test
            if isinstance(error, KeyboardInterrupt):
                raise
            failed += 1
            print(f"FAIL {title}", flush=True)
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            print("       " + text[-4000:].replace("\n", "\n       ").rstrip(), flush=True)
            continue
        passed += 1
        print(f"ok   {title}", flush=True)
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)
