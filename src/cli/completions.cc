#include "cli/completions.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/data_options.h"

#ifndef GATELEG_VERSION
#define GATELEG_VERSION "unknown"
#endif

namespace gateleg::cli {
namespace {

struct OptionText {
    std::string name;   // "--data"
    std::string value;  // "DIR"; empty for a flag
    std::string help;
    std::vector<std::string> choices = {};
};

// A command with its whole name: "outbox list".
struct CommandText {
    std::vector<std::string> path;
    std::string help;
    std::string footer;
    std::string usage;  // names of its arguments
    std::vector<OptionText> options = {};
    std::vector<std::string> subcommands = {};

    std::string name(std::string_view between = " ") const {
        std::string text;
        for (const auto& part : path) {
            text.append(text.empty() ? "" : between).append(part);
        }
        return text;
    }
};

// "{fsync,process}" of "TEXT:{fsync,process}", or "on|off".
std::vector<std::string> choices_of(const std::string& type) {
    std::vector<std::string> choices;
    const auto open = type.find('{');
    if (open == std::string::npos) {
        return choices;
    }
    std::string word;
    for (const char c : type.substr(open + 1)) {
        if (c == ',' || c == '}') {
            choices.push_back(std::exchange(word, std::string()));
        } else {
            word.push_back(c);
        }
    }
    return choices;
}

// Types of our own are kept as they are; those of the parser lose what people need not see.
std::string value_name(const std::string& type) {
    if (const auto choices = choices_of(type); !choices.empty()) {
        std::string text;
        for (const auto& choice : choices) {
            text.append(text.empty() ? "" : "|").append(choice);
        }
        return text;
    }
    const auto colon = type.find(":INT");
    return type.substr(0, colon);
}

OptionText describe(const CLI::Option& option) {
    OptionText text;
    text.name = "--" + option.get_lnames().front();
    if (option.get_items_expected_max() > 0) {
        text.value = value_name(option.get_type_name());
        text.choices = choices_of(option.get_type_name());
        if (text.choices.empty() && option.get_type_name() == "HOST:PORT|off") {
            text.choices = {"off"};
        }
    }
    text.help = option.get_description();
    if (!option.get_default_str().empty() && !text.value.empty()) {
        text.help += " (default " + option.get_default_str() + ")";
    }
    return text;
}

void collect(const CLI::App& app, std::vector<std::string> path, std::vector<CommandText>& all) {
    CommandText text{.path = path, .help = app.get_description(), .footer = app.get_footer()};
    for (const auto* option : app.get_options()) {
        if (!option->get_lnames().empty()) {
            text.options.push_back(describe(*option));
        } else if (option->get_positional()) {
            text.usage += " " + option->get_name(true);
        }
    }
    const auto children = app.get_subcommands([](const CLI::App*) { return true; });
    for (const auto* child : children) {
        text.subcommands.push_back(child->get_name());
    }
    all.push_back(std::move(text));
    for (const auto* child : children) {
        auto deeper = path;
        deeper.push_back(child->get_name());
        collect(*child, std::move(deeper), all);
    }
}

std::vector<CommandText> commands_of(const CLI::App& app) {
    std::vector<CommandText> all;
    collect(app, {"gateleg"}, all);
    return all;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
        text.append(text.empty() ? "" : " ").append(word);
    }
    return text;
}

std::string option_names(const CommandText& command) {
    std::vector<std::string> names;
    for (const auto& option : command.options) {
        names.push_back(option.name);
    }
    return joined(names);
}

std::string bash(const std::vector<CommandText>& commands) {
    std::string out =
        "# bash completion of gateleg: source it, or put it into "
        "/usr/share/bash-completion/completions/gateleg\n"
        "_gateleg() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} "
        "command=gateleg word\n"
        "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "        case \"$command $word\" in\n";
    for (const auto& command : commands) {
        if (command.path.size() > 1) {
            out += "            '" + command.name() + "') command='" + command.name() + "' ;;\n";
        }
    }
    out += "        esac\n    done\n    case \"$command $previous\" in\n";
    for (const auto& command : commands) {
        for (const auto& option : command.options) {
            if (!option.choices.empty()) {
                out += "        '" + command.name() + " " + option.name +
                       "') COMPREPLY=($(compgen -W '" + joined(option.choices) +
                       "' -- \"$current\")); return ;;\n";
            }
        }
    }
    out += "    esac\n    case \"$command\" in\n";
    for (const auto& command : commands) {
        out += "        '" + command.name() + "') COMPREPLY=($(compgen -W '" +
               joined(command.subcommands) + (command.subcommands.empty() ? "" : " ") +
               option_names(command) + "' -- \"$current\")) ;;\n";
    }
    return out + "    esac\n}\ncomplete -o default -F _gateleg gateleg\n";
}

// Text between single quotes of a shell.
std::string shell_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : c == '\n' ? std::string(" ") : std::string(1, c);
    }
    return out + "'";
}

std::string zsh(const std::vector<CommandText>& commands) {
    std::string out =
        "#compdef gateleg\n"
        "# zsh completion of gateleg: put it into a folder of $fpath as _gateleg\n"
        "_gateleg() {\n    local command=gateleg word\n"
        "    for word in \"${words[@]:1:$((CURRENT - 2))}\"; do\n"
        "        case \"$command $word\" in\n";
    for (const auto& command : commands) {
        if (command.path.size() > 1) {
            out += "            '" + command.name() + "') command='" + command.name() + "' ;;\n";
        }
    }
    out +=
        "        esac\n    done\n    local -a found\n"
        "    case \"$command ${words[CURRENT - 1]}\" in\n";
    for (const auto& command : commands) {
        for (const auto& option : command.options) {
            if (option.choices.empty()) {
                continue;
            }
            out += "        '" + command.name() + " " + option.name + "') found=(";
            for (const auto& choice : option.choices) {
                out += " " + choice;
            }
            out += " ) ;;\n";
        }
    }
    out +=
        "    esac\n    if (( $#found )); then\n"
        "        _describe -t values value found\n        return\n    fi\n"
        "    case \"$command\" in\n";
    // The first sentence says enough beside a name.
    const auto entry = [](const std::string& name, const std::string& help) {
        return " " + shell_quoted(name + ":" + help.substr(0, help.find(". ")));
    };
    for (const auto& command : commands) {
        out += "        '" + command.name() + "') found=(";
        for (const auto& child : commands) {
            if (child.path.size() == command.path.size() + 1 &&
                std::equal(command.path.begin(), command.path.end(), child.path.begin())) {
                out += entry(child.path.back(), child.help);
            }
        }
        for (const auto& option : command.options) {
            out += entry(option.name, option.help);
        }
        out += " ) ;;\n";
    }
    return out +
           "    esac\n    _describe -t commands gateleg found\n    _files\n}\n_gateleg \"$@\"\n";
}

std::string fish(const std::vector<CommandText>& commands) {
    std::string out =
        "# fish completion of gateleg: put it into ~/.config/fish/completions/gateleg.fish\n";
    for (const auto& command : commands) {
        std::string condition;
        if (command.path.size() == 1) {
            condition = "__fish_use_subcommand";
        } else {
            condition = "__fish_seen_subcommand_from " + command.path[1];
            if (command.path.size() > 2) {
                condition += "; and __fish_seen_subcommand_from " + command.path[2];
            }
        }
        const auto begin = "complete -c gateleg -n " + shell_quoted(condition);
        for (const auto& child : commands) {
            if (child.path.size() == command.path.size() + 1 &&
                std::equal(command.path.begin(), command.path.end(), child.path.begin())) {
                out += begin + " -f -a " + child.path.back() + " -d " +
                       shell_quoted(child.help.substr(0, child.help.find_first_of(".\n"))) + "\n";
            }
        }
        for (const auto& option : command.options) {
            out +=
                begin + " -l " + option.name.substr(2) + (option.value.empty() ? "" : " -r") +
                (option.choices.empty() ? "" : " -f -a " + shell_quoted(joined(option.choices))) +
                " -d " + shell_quoted(option.help.substr(0, option.help.find_first_of(";.\n"))) +
                "\n";
        }
    }
    return out;
}

// Text for troff: no line begins with a control character, and a hyphen is one.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
            out += "\\&";
        }
        out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    }
    return out;
}

std::string man(const std::vector<CommandText>& commands) {
    std::string out = ".TH GATELEG 1 \"\" \"gateleg " GATELEG_VERSION
                      "\" \"User Commands\"\n.SH NAME\ngateleg \\- "
                      "your single\\-table design, running\n.SH SYNOPSIS\n.B gateleg\n.I "
                      "COMMAND\n[\\fIOPTIONS\\fR]\n"
                      ".SH DESCRIPTION\nOne program that serves the DynamoDB API, an S3 API, typed "
                      "HTTP APIs made "
                      "from model files, and a console.\n.SH COMMANDS\n";
    for (const auto& command : commands) {
        if (command.path.size() == 1) {
            continue;
        }
        out += ".SS " + roff(command.name() + command.usage) + "\n" + roff(command.help) + "\n";
        for (const auto& option : command.options) {
            out += ".TP\n\\fB" + roff(option.name) + "\\fR" +
                   (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR") + "\n" +
                   roff(option.help) + "\n";
        }
        if (!command.footer.empty()) {
            const auto begin = command.footer.find_first_not_of('\n');
            out += ".PP\n" + roff(command.footer.substr(std::min(begin, command.footer.size()))) +
                   "\n";
        }
    }
    return out +
           ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage or configuration, 3 damaged data "
           "refused, 4 data written by a newer version, 5 something is left to do.\n"
           ".SH ENVIRONMENT\n.TP\n.B GATELEG_JWT_SECRET\nSecret of HS256 tokens that sign in users "
           "of the models.\n.TP\n.B GATELEG_METRICS_TOKEN\nBearer token for /metrics from other "
           "machines.\n.TP\n.B AWS_*\nKeys to a remote store, as for the AWS SDKs.\n";
}

}  // namespace

void add_completions(CLI::App& app, int& exit_code) {
    const auto shell = std::make_shared<std::string>();
    auto* completions =
        app.add_subcommand("completions", "Print completions of commands and options for a shell");
    completions->alias("completion");
    completions->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completions->callback([&app, shell, &exit_code] {
        const auto commands = commands_of(app);
        print(*shell == "bash" ? bash(commands) : *shell == "zsh" ? zsh(commands) : fish(commands));
        exit_code = 0;
    });
    auto* page = app.add_subcommand("man", "Print the manual page (gateleg man | man -l -)");
    page->callback([&app, &exit_code] {
        print(man(commands_of(app)));
        exit_code = 0;
    });
}

}  // namespace gateleg::cli
