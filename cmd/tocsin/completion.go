package main

import (
	"context"
	"flag"
	"slices"
	"strings"
	"text/template"

	"tocsin"
	"tocsin/internal/feed"
)

// shells are those that tocsin completion writes for.
var shells = []string{"bash", "fish", "zsh"}

func newCompletion(c *commandLine) runFunc {
	return func(_ context.Context, e env) error {
		if len(c.args) != 1 || !slices.Contains(shells, c.args[0]) {
			return usage("name the shell: %s", strings.Join(shells, ", "))
		}
		return completions.ExecuteTemplate(e.stdout, c.args[0], described())
	}
}

// description is the command line of the program: what help, the completion of shells and the manual page show.
type description struct {
	Version  string
	Groups   []string // first words of commands of two words
	Commands []commandDescription
}

type commandDescription struct {
	Name    string // "key create"
	Group   string // its first word if it has two, else ""
	Last    string // its last word
	Args    string
	About   string // one line
	Notes   string
	Choices []string // what its first argument can be, if that is one of a few words
	Flags   []flagDescription
}

type flagDescription struct {
	Name    string
	Value   string // what its value is called; "" for one that is on or off
	About   string
	Default string // "" for none
}

// described returns the description of all commands, made from their flags.
func described() (d description) {
	d.Version = version
	for _, c := range commands() {
		one := commandDescription{Name: c.name, Last: c.name, Args: c.args, About: c.about, Notes: c.notes}
		if group, last, two := strings.Cut(c.name, " "); two {
			one.Group, one.Last = group, last
			if !slices.Contains(d.Groups, group) {
				d.Groups = append(d.Groups, group)
			}
		}
		switch c.name {
		case "completion":
			one.Choices = shells
		case "filing":
			one.Choices = []string{string(tocsin.FilingOpen), string(tocsin.FilingKeysOnly), string(tocsin.FilingShut)}
		case "import":
			one.Choices = listNames()
		case "help":
			for _, other := range commands() {
				first, _, _ := strings.Cut(other.name, " ")
				one.Choices = append(one.Choices, first)
			}
			one.Choices = slices.Compact(one.Choices)
		}
		line := newCommandLine(&c)
		c.setUp(line)
		line.VisitAll(func(f *flag.Flag) {
			value, about := flag.UnquoteUsage(f)
			one.Flags = append(one.Flags, flagDescription{Name: f.Name, Value: value, About: about, Default: defaultOf(f)})
		})
		d.Commands = append(d.Commands, one)
	}
	return d
}

// defaultOf returns the default of a flag, "" if it is nothing or off, or if its text says it.
func defaultOf(f *flag.Flag) string {
	if f.DefValue == "false" || strings.Contains(f.Usage, "(default") {
		return ""
	}
	return f.DefValue
}

// First are the words that a command line can begin with, each once.
func (d description) First() (words []string) {
	for _, c := range d.Commands {
		word := c.Last
		if c.Group != "" {
			word = c.Group
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// AboutFirst is what a word is for that a command line can begin with.
func (d description) AboutFirst(word string) string {
	var about []string
	for _, c := range d.Commands {
		if c.Name == word {
			return c.About
		}
		if c.Group == word {
			about = append(about, c.Last)
		}
	}
	return strings.Join(about, ", ")
}

// Of are the commands of a group.
func (d description) Of(group string) (of []commandDescription) {
	for _, c := range d.Commands {
		if c.Group == group {
			of = append(of, c)
		}
	}
	return of
}

// listNames are the lists that can be imported.
func listNames() (names []string) {
	for _, source := range feed.Sources() {
		names = append(names, source.Name)
	}
	return names
}

// completions are the scripts of the shells. In them nothing is run but the builtins of the shell.
var completions = template.Must(template.New("").Funcs(template.FuncMap{
	"join": strings.Join,
	"q":    shellQuote,
	"zsh":  func(word, about string) string { return shellQuote(word + ":" + brief(about)) },
	"brief": func(about string) string {
		return shellQuote(brief(about))
	},
}).Parse(`{{define "bash"}}# bash completion of tocsin {{.Version}}
_tocsin() {
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} flags= choices= first=2
	COMPREPLY=()
	if [ "$COMP_CWORD" -le 1 ]; then
		COMPREPLY=($(compgen -W {{q (join .First " ")}} -- "$word"))
		return
	fi
	case $command in
{{- range $group := .Groups}}
	{{$group}})
		if [ "$COMP_CWORD" = 2 ]; then
			COMPREPLY=($(compgen -W "{{range $.Of $group}}{{.Last}} {{end}}" -- "$word"))
			return
		fi
		command="$command ${COMP_WORDS[2]}" first=3
		;;
{{- end}}
	esac
	case $command in
{{- range .Commands}}
	{{q .Name}}) flags="{{range .Flags}}-{{.Name}} {{end}}"{{if .Choices}} choices="{{join .Choices " "}}"{{end}} ;;
{{- end}}
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
	*) if [ "$COMP_CWORD" = "$first" ]; then COMPREPLY=($(compgen -W "$choices" -- "$word")); fi ;;
	esac
}
complete -o default -F _tocsin tocsin
{{end}}{{define "zsh"}}#compdef tocsin
# zsh completion of tocsin {{.Version}}
_tocsin() {
	local -a words_ flags choices
	local command=$words[2] first=3
	if (( CURRENT == 2 )); then
		words_=({{range .First}}
			{{zsh . ($.AboutFirst .)}}{{end}}
		)
		_describe command words_
		return
	fi
	case $command in
{{- range $group := .Groups}}
	{{$group}})
		if (( CURRENT == 3 )); then
			words_=({{range $.Of $group}}
				{{zsh .Last .About}}{{end}}
			)
			_describe command words_
			return
		fi
		command="$command $words[3]" first=4
		;;
{{- end}}
	esac
	case $command in
{{- range .Commands}}
	{{q .Name}})
		flags=({{range .Flags}}
			{{zsh (print "-" .Name) .About}}{{end}}
		)
		{{- if .Choices}}
		choices=({{join .Choices " "}})
		{{- end}}
		;;
{{- end}}
	esac
	if [[ $PREFIX == -* ]]; then
		_describe -o flag flags
	elif (( CURRENT == first && $#choices )); then
		_describe argument choices
	else
		_files
	fi
}
compdef _tocsin tocsin
{{end}}{{define "fish"}}# fish completion of tocsin {{.Version}}
function __tocsin_in --description 'Whether the command line begins with these words'
	set -l given (commandline -opc)
	set -e given[1]
	for word in $argv
		test "$given[1]" = "$word"; or return 1
		set -e given[1]
	end
end
function __tocsin_at --description 'Whether the command line is these words so far'
	set -l given (commandline -opc)
	set -e given[1]
	test "$given" = "$argv"
end
{{range .First}}complete -c tocsin -f -n __tocsin_at -a {{.}} -d {{brief ($.AboutFirst .)}}
{{end}}
{{- range $group := .Groups}}{{range $.Of $group -}}
complete -c tocsin -f -n '__tocsin_at {{$group}}' -a {{.Last}} -d {{brief .About}}
{{end}}{{end}}
{{- range $c := .Commands}}{{if .Choices -}}
complete -c tocsin -f -n '__tocsin_at {{.Name}}' -a {{q (join .Choices " ")}}
{{end}}{{range .Flags -}}
complete -c tocsin -n '__tocsin_in {{$c.Name}}' -o {{.Name}}{{if .Value}} -r{{end}} -d {{brief .About}}
{{end}}{{end}}{{end}}`))

// brief returns the beginning of a text, for a line of a menu.
func brief(text string) string {
	text, _, _ = strings.Cut(text, ";")
	return tocsin.Shorten(strings.Join(strings.Fields(text), " "), 90)
}

// shellQuote quotes a text without backslashes for bash, zsh and fish.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "’") + "'"
}
