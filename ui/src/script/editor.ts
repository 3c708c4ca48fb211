// The editor of scripts. It is loaded when a script is opened.
//
// It is in a shadow root, where CodeMirror adopts style sheets, which the Content-Security-Policy allows. In the page
// itself it would create style elements.

import { autocompletion, closeBrackets, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { python } from '@codemirror/lang-python'
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { tcl } from '@codemirror/legacy-modes/mode/tcl'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Language, Words } from './api.ts'
import { choicesAt, typedOf } from './words.ts'

export interface Editor {
  text: () => string
  focus: () => void
  close: () => void
}

export interface Wishes {
  text: string
  language: Language
  readOnly: boolean
  words: () => Words | undefined
  changed: (text: string) => void
  save: () => void
  run: () => void
}

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.9rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', lineHeight: '1.5' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--page)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#0064a012, #6cc0f018)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'light-dark(#b9d8ee, #28506b) !important' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip, .cm-panels': { color: 'var(--text)', backgroundColor: 'var(--surface)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'light-dark(#fff, #11151a)', backgroundColor: 'var(--accent)' },
  '.cm-completionInfo': { maxWidth: 'min(24rem, 80vw)', fontFamily: 'system-ui, sans-serif' },
  '.cm-textfield, .cm-button': { color: 'var(--text)', backgroundColor: 'var(--surface)', backgroundImage: 'none', border: '1px solid var(--muted)', borderRadius: '4px' },
})

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.operatorKeyword], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--doubtful)' },
  { tag: [tags.variableName, tags.special(tags.variableName)], color: 'light-dark(#6b2f9c, #d3a6ff)' },
])

/** Offers completions. */
function complete(language: Language, words: () => Words | undefined): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const known = words()
    const line = context.state.doc.lineAt(context.pos)
    const typed = typedOf(context.state.sliceDoc(line.from, context.pos), language)
    if (known === undefined || typed === undefined) return null
    if (!context.explicit && typed.word === '' && typed.before.length === 0) return null
    const options = choicesAt(known, language, context.state.sliceDoc(0, line.from), typed)
    return options.length === 0 ? null : { from: context.pos - typed.word.length, options, validFor: /^[\w-]*$/ }
  }
}

/**
 * Replaces a selection of several lines. Chromium would add style attributes to the remaining lines, which the
 * Content-Security-Policy forbids, and log an error.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view
    const { from, to } = state.selection.main
    const text = event.data
    if (event.inputType !== 'insertText' || event.isComposing || text === null || state.readOnly || state.doc.lineAt(from).to >= to) return false
    const insert = () => state.update(state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true })
    // Other input handlers, such as the one that closes brackets, come first.
    if (!state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert())
    return true
  },
})

/** Creates an editor in an element. */
export function edit(host: HTMLElement, wishes: Wishes): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: wishes.text,
      extensions: [
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        typingOver,
        search({ top: true }),
        wishes.language === 'python' ? python() : StreamLanguage.define(tcl),
        syntaxHighlighting(colours),
        autocompletion({ override: [complete(wishes.language, wishes.words)] }),
        EditorState.readOnly.of(wishes.readOnly),
        EditorView.contentAttributes.of({ 'aria-label': 'Text of the script', spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) wishes.changed(update.state.doc.toString())
        }),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (wishes.save(), true) },
          { key: 'Mod-Enter', preventDefault: true, run: () => (wishes.run(), true) },
          ...completionKeymap,
          ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
          ...searchKeymap,
          ...historyKeymap,
        ]),
        look,
      ],
    }),
  })
  return { text: () => view.state.doc.toString(), focus: () => view.focus(), close: () => view.destroy() }
}
