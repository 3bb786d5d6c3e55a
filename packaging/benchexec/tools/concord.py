# How BenchExec runs Concord: with packaging/benchexec on PYTHONPATH, `tool="tools.concord"` in a benchmark names this module, and `--tool-directory`
# says where the program is. Written for the interface BaseTool2.

import json

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    """Concord, by the verb `verify`."""

    def name(self):
        return "Concord"

    def project_url(self):
        return ""

    def executable(self, tool_locator):
        return tool_locator.find_executable("concord")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="concord")

    def cmdline(self, executable, options, task, rlimits):
        words = [executable, "verify", "--format", "json", "--quiet", "--failures", "first", *options]
        if task.property_file:
            words += ["--property", task.property_file]
        model = (task.options or {}).get("data_model") if isinstance(task.options, dict) else None
        if model and "--data-model" not in options:
            words += ["--data-model", model.lower()]
        # A limit of our own, a little before BenchExec's, so that there is an answer that says why.
        if rlimits.walltime and "--time-limit" not in options:
            words += ["--time-limit", f"{max(1, rlimits.walltime - 2)}s"]
        if rlimits.memory and "--memory-limit" not in options:
            words += ["--memory-limit", str(int(rlimits.memory * 0.95))]
        return words + ["--", *task.input_files]

    def determine_result(self, run):
        try:
            answer = json.loads("".join(line + "\n" for line in run.output))["results"][0]
        except (ValueError, KeyError, IndexError):
            if run.was_timeout:
                return result.RESULT_TIMEOUT
            return f"{result.RESULT_ERROR} (exit status {run.exit_code.value})"
        if answer["verdict"] == "holds":
            return result.RESULT_TRUE_PROP
        if answer["verdict"] == "violated":
            return result.RESULT_FALSE_PROP
        if "time limit" in (answer["reason"] or ""):
            return result.RESULT_TIMEOUT
        return f"{result.RESULT_UNKNOWN} ({answer['reason']})"
