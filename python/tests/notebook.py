"""Runs the cells of a notebook without Jupyter: notebook.py [--write] NOTEBOOK.

Like Jupyter it runs in the folder of the notebook and shows what is printed and the value of the last line of a cell, as
text and as HTML. With --write the notebook gets these outputs."""

import ast
import contextlib
import io
import json
import os
import sys


def run_cell(source, names):
    """The outputs of a cell, in the form of the notebook."""
    tree = ast.parse(source)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    outputs = []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream",
                        "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    return outputs


def execute(path):
    """The notebook with new outputs."""
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names = {"__name__": "__main__"}
    before = os.getcwd()
    os.chdir(os.path.dirname(os.path.abspath(path)))
    try:
        count = 0
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = run_cell("".join(cell["source"]), names)
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count
    finally:
        os.chdir(before)
    return notebook


def main(arguments):
    write = arguments[:1] == ["--write"]
    path = arguments[-1]
    notebook = execute(path)
    if write:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False, sort_keys=True)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
