"""Writes docs/python/reference.md of the signatures and docstrings of the package.

    PYTHONPATH=build/release/python .venv/bin/python tools/make_python_reference.py
"""

import importlib
import inspect
import pathlib
import pkgutil
import re
import sys
import types

page = pathlib.Path(__file__).resolve().parent.parent / "docs/python/reference.md"
_first = ("lockstep", "lockstep.sddp", "lockstep.sddp.plots", "lockstep.xpcs", "lockstep.rl", "lockstep.tables",
          "lockstep.comm", "lockstep.farm", "lockstep.ray")


def modules():
    """Those of the package, then those of lockstep.compat that define something."""
    import lockstep.compat

    names = [each.name for each in pkgutil.walk_packages(lockstep.compat.__path__, "lockstep.compat.")]
    public = sorted(name for name in names if not any(part.startswith("_") for part in name.split(".")))
    return [importlib.import_module(name) for name in (*_first, *public)]


def names_of(module):
    """(name, object) of what a module is for, but for other modules: as it says, else what it defines."""
    own = [name for name, value in vars(module).items()
           if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__]
    found = [(name, getattr(module, name)) for name in getattr(module, "__all__", own)]
    return [(name, value) for name, value in found if not isinstance(value, types.ModuleType)]


def _is_ours(kind):
    return kind.__module__.split(".")[0] == "lockstep"


def members_of(kind):
    """(name, descriptor) of the methods and properties of a class and of its bases here, in order of definition."""
    found = {}
    for base in reversed([each for each in kind.__mro__ if _is_ours(each)]):
        for name, value in vars(base).items():
            if not name.startswith("_") and _has_doc_place(value):
                found[name] = value
    return list(found.items())


def _has_doc_place(value):
    return isinstance(value, (property, staticmethod, classmethod)) or inspect.isroutine(value)


def _is_native(value):
    return type(value).__module__ == "nanobind" and not inspect.isclass(value)


def docstring_of(value):
    """What people wrote; "" where there is nothing but what Python made."""
    text = inspect.cleandoc(getattr(value, "__doc__", None) or "")
    if _is_native(value) or _is_native(getattr(value, "fget", None)):  # signatures first, which stand for themselves
        text = "\n".join(line for line in text.split("\n") if not re.match(r"\w*\(.*\) -> ", line)).strip()
    if inspect.isclass(value) and text.startswith(f"{value.__name__}("):
        return ""
    return text.split("\n\nOptions\n-------\n")[0]


def docstring_in(kind, name):
    """Of a member, as written where it is defined or in the nearest base that tells."""
    own = [vars(base)[name] for base in kind.__mro__ if _is_ours(base) and name in vars(base)]
    return next(filter(None, (docstring_of(_function_of(each)) for each in own)), "")


def _annotation(value):
    return value if isinstance(value, str) else inspect.formatannotation(value)


def _parameter(each):
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    text = stars + each.name
    if each.annotation is not each.empty:
        text += f": {_annotation(each.annotation)}"
    if each.default is not each.empty:
        default = re.sub(r"<(?:function|class) '?(?:[\w.]*\.)?(\w+)'?.*>", r"\1", repr(each.default))
        text += f" = {default}" if ":" in text else f"={default}"
    return text


def _arguments(signature):
    texts, kind = [], None
    for each in signature.parameters.values():
        if each.name in ("self", "cls") and not texts:
            continue
        if each.kind == each.KEYWORD_ONLY and kind not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL):
            texts.append("*")
        texts.append(_parameter(each))
        kind = each.kind
    answer = signature.return_annotation
    end = "" if answer in (signature.empty, None, "None") else f" -> {_annotation(answer)}"
    return f"({', '.join(texts)}){end}"


def _native_arguments(value):
    line = next((line for line in (value.__doc__ or "").split("\n") if re.match(r"\w+\(.*\) -> ", line)), "()")
    line = re.sub(r"\(self(?:, )?", "(", line[line.index("("):], count=1)
    return line.removesuffix(" -> None")


def arguments_of(value):
    if _is_native(value):
        return _native_arguments(value)
    if inspect.isclass(value) and issubclass(value, BaseException):
        return ""
    if inspect.isclass(value) and inspect.isfunction(value.__init__):
        value = value.__init__
    try:
        return _arguments(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def _function_of(value):
    return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value


def _block(text):
    return f"```text\n{text}\n```\n" if text else ""


def _member(kind, name, value):
    text = docstring_in(kind, name)
    if isinstance(value, property):
        return f"`.{name}` · " + " ".join(text.split())
    return f"`.{name}{arguments_of(_function_of(value))}`\n\n" + _block(text)


def _entry(name, value):
    if not (inspect.isclass(value) or callable(value)):
        return f"### {name}\n"
    lines = [f"### {name}\n", f"`{name}{arguments_of(value)}`\n", _block(docstring_of(value))]
    if inspect.isclass(value):
        lines += [_member(value, each, descriptor) + "\n" for each, descriptor in members_of(value)]
    return "\n".join(lines)


def undocumented():
    """Public names without a docstring."""
    found = []
    for module in modules():
        if not docstring_of(module):
            found.append(module.__name__)
        for name, value in names_of(module):
            if callable(value) and not docstring_of(value):
                found.append(f"{module.__name__}.{name}")
            for each, _ in members_of(value) if inspect.isclass(value) else ():
                if not docstring_in(value, each):
                    found.append(f"{module.__name__}.{name}.{each}")
    return found


def reference():
    """The page."""
    parts = ["# Reference of the Python package\n",
             "Made of the docstrings by `tools/make_python_reference.py`. Options of run functions are those of the program: "
             "[options.md](../options.md).\n"]
    shown = {}
    for module in modules():
        entries = names_of(module)
        if all(id(value) in shown for _, value in entries):
            continue
        parts += [f"## {module.__name__}\n", _block(docstring_of(module))]
        for name, value in entries:
            place = shown.setdefault(id(value), f"{module.__name__}.{name}") if callable(value) else None
            if place not in (None, f"{module.__name__}.{name}"):
                parts.append(f"### {name}\n\n`{place}`.\n")
            else:
                parts.append(_entry(name, value))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--undocumented"]:
        print("\n".join(undocumented()))
    else:
        page.write_text(reference(), encoding="utf-8")
