// What the command says when it is asked wrongly, and to whoever asks for help.
#include "tests/cli/support.hpp"

namespace loam::cli::testing {
namespace {

using Usage = Command;

TEST_F(Usage, WrongUseEndsWithStatusTwoAndNamesTheHelp) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"frobnicate"},
                                                    {"build"},
                                                    {"build", "a.onnx"},
                                                    {"build", "a.onnx", "-o", "d", "--frob"},
                                                    {"build", "a.onnx", "-o", "d", "--dim", "batch"},
                                                    {"build", "a.onnx", "-o", "d", "--dim", "batch=many"},
                                                    {"build", "a.onnx", "-o", "d", "--store", "float8"},
                                                    {"run", "a.onnx", "--input", "x"},
                                                    {"test"},
                                                    {"test", ".", "--jobs", "none"},
                                                    {"run", "a.onnx", "--threads", "0"},
                                                    {"run", "a.onnx", "--profile", "0"},
                                                    {"run", "a.onnx", "--profile", "3", "-o", "d"},
                                                    {"test", ".", "--rtol", "-1"},
                                                    {"generate", "d"},
                                                    {"pack", "a.onnx"},
                                                    {"check", "a.onnx", "--format", "xml"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Finished finished = loam(arguments);
    EXPECT_EQ(finished.status, 2) << ::testing::PrintToString(arguments) << finished.output;
    EXPECT_TRUE(finished.output.starts_with("error: ")) << finished.output;
    EXPECT_NE(finished.output.find("--help"), std::string::npos) << finished.output;
  }
}

TEST_F(Usage, AWordItDoesNotTakeIsNamedBeforeWhatIsMissing) {
  EXPECT_TRUE(loam({"chek", "a.onnx"}).output.starts_with("error: loam does not take chek: did you mean check?\n"));
  EXPECT_TRUE(loam({"build", "a.onnx", "--layot", "auto"})
                  .output.starts_with("error: loam build does not take --layot: did you mean --layout?\n"));
  EXPECT_TRUE(loam({"check", "a.onnx", "--frobnicate"}).output.starts_with("error: loam check does not take --frobnicate\n"));
}

TEST_F(Usage, AnOptionTakesOneValueAndLeavesTheRest) {
  const std::string file = (folder() / "absent.onnx").string();
  EXPECT_NE(loam({"check", "--layout", "auto", file, "--summary"}).output.find(file), std::string::npos);
  EXPECT_NE(loam({"test", "--filter", "a*", "--layout", "auto", file, "--list"}).output.find(file), std::string::npos);
}

TEST_F(Usage, EveryHelpHasAnExample) {
  for (const std::string command : {"", "build", "check", "layout", "run", "test", "generate", "pack", "print", "split", "report", "explain"}) {
    const Finished finished =
        loam(command.empty() ? std::vector<std::string>{"--help"} : std::vector{command, std::string("--help")});
    EXPECT_EQ(finished.status, 0) << command;
    EXPECT_NE(finished.output.find("Example: loam " + command), std::string::npos) << finished.output;
  }
}

TEST_F(Usage, AFileThatIsNotThereIsNamed) {
  const Finished finished = loam({"build", (folder() / "absent.onnx").string(), "-o", folder().string()});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.output.find("absent.onnx: cannot open: No such file or directory"), std::string::npos)
      << finished.output;
}

TEST_F(Usage, ABrokenGraphIsADiagnosticAndNothingIsWritten) {
  write_file(folder() / "broken.onnx", unary_model("Abs").substr(0, 40));
  for (const std::string command : {"build", "check", "layout", "run"}) {
    std::vector<std::string> arguments{command, (folder() / "broken.onnx").string()};
    if (command == "build") arguments.insert(arguments.end(), {"-o", (folder() / "out").string()});
    const Finished finished = loam(arguments);
    EXPECT_EQ(finished.status, 1) << command;
    EXPECT_NE(finished.output.find("error: byte "), std::string::npos) << finished.output;
    EXPECT_NE(finished.output.find("[malformed-file]"), std::string::npos) << finished.output;
  }
  EXPECT_FALSE(fs::exists(folder() / "out"));
}

TEST_F(Usage, ABrokenLayoutFileIsADiagnostic) {
  write_file(folder() / "abs.onnx", unary_model("Abs"));
  write_file(folder() / "layout.json", "rules");
  const Finished finished =
      loam({"check", (folder() / "abs.onnx").string(), "--layout", (folder() / "layout.json").string()});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.output.find("[bad-layout]"), std::string::npos) << finished.output;
}

TEST_F(Usage, ExplainKnowsEveryCodeItLists) {
  const Finished list = loam({"explain"});
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.output.find("axis-unnamed"), std::string::npos);
  EXPECT_EQ(loam({"explain", "axis_unnamed"}).status, 0);
  const Finished unknown = loam({"explain", "no-such-code"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.output.find("no-such-code"), std::string::npos);
}

TEST_F(Usage, CheckSumsUpFoldersByCode) {
  write_file(folder() / "models" / "good.onnx", unary_model("Abs"));
  write_file(folder() / "models" / "more" / "bad.onnx", unary_model("NoSuchOperator"));
  const Finished text = loam({"check", (folder() / "models").string(), "--layout", "auto", "--summary"});
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.output.find("1 in    1 graph   unknown-operator"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("2 graphs, 1 with errors"), std::string::npos) << text.output;
  const Finished json = loam({"check", (folder() / "models").string(), "--layout", "auto", "--format", "json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_NE(json.output.find("\"code\": \"unknown-operator\""), std::string::npos) << json.output;
}

}  // namespace
}  // namespace loam::cli::testing
