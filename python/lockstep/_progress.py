"""What a run tells while it lasts: bars by tqdm, lines in notebooks, warnings, the log."""

import contextlib
import logging
import sys
import warnings

_log = logging.getLogger("lockstep")


def _is_in_notebook():
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def _is_watched():
    """Whether somebody sees what is written: a terminal, or a notebook."""
    return sys.stderr.isatty() or _is_in_notebook()


def _tqdm():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


class _Bars:
    """A bar for each phase of a run, and a line at its end."""

    def __init__(self, tqdm):
        self._tqdm = tqdm
        self._bar = None
        self._phase = None

    def report(self, report):
        if report["phase"] != self._phase:
            self.close()
            self._phase = report["phase"]
            self._bar = self._tqdm(total=report["total"] or None, desc=self._phase, unit=report["step"])
        self._bar.set_postfix(_figures(report), refresh=False)
        self._bar.update(report["done"] - self._bar.n)

    def line(self, text):
        self.close()
        self._tqdm.write(text, file=sys.stderr)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = self._phase = None


def _figures(report):
    known = ("phase", "step", "done", "total", "seconds")
    figures = {name: value for name, value in report.items() if name not in known}
    return {name: f"{value:.6g}" for name, value in list(figures.items())[:3]}


def _level_of_the_caller():
    """As `stacklevel` of a warning here: that of the line that called the package."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "lockstep":
        frame, level = frame.f_back, level + 1
    return level


@contextlib.contextmanager
def listeners(on_progress):
    """The functions that a run calls: of each step, and of each sentence."""
    wants_bars = on_progress is True or (on_progress is None and _is_watched())
    tqdm = _tqdm() if wants_bars else None
    bars = _Bars(tqdm) if tqdm is not None else None

    def text(kind, sentence):
        if kind == "warning":
            warnings.warn(sentence, stacklevel=_level_of_the_caller())
            return
        _log.info(sentence)
        if bars is not None:
            bars.line(sentence)

    try:
        yield on_progress if callable(on_progress) else bars and bars.report, text
    finally:
        if bars is not None:
            bars.close()
