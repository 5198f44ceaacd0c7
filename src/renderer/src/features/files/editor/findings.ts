import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint';
import type { ChangeSet, Extension, Text } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import type { Finding } from '../../../../../shared/api/checks.ts';
import { checks as checkWords } from '../../../strings/checks.ts';
import { notify } from '../../../ui/toast.tsx';

/** The version of the text that was checked. */
interface CheckedVersion {
  readonly baseDoc: Text;
  /** Returns the changes that turn the checked version into `doc`. */
  changesTo(doc: Text): ChangeSet;
}

type Place = Pick<Finding, 'line' | 'column' | 'endLine' | 'endColumn'>;

interface Range {
  readonly from: number;
  readonly to: number;
}

const offsetIn = (doc: Text, number: number, column: number): number => {
  const line = doc.line(Math.min(number, doc.lines));
  return Math.min(line.from + column - 1, line.to);
};

const rangeIn = (doc: Text, { line, column, endLine, endColumn }: Place): Range => {
  const from = offsetIn(doc, line, column);
  return { from, to: Math.max(from, offsetIn(doc, endLine, endColumn)) };
};

const mapped = ({ from, to }: Range, changes: ChangeSet): Range => {
  const start = changes.mapPos(from, 1);
  return { from: start, to: Math.max(start, changes.mapPos(to, -1)) };
};

/**
 * Returns the changes that fix a finding in text that may have unsaved edits. Null if an edit touches the text that
 * the fix replaces.
 */
export const fixIn = (doc: Text, { fix }: Finding, version: CheckedVersion) => {
  const { baseDoc } = version;
  const changes = version.changesTo(doc);
  const edits = (fix?.edits ?? []).map((edit) => {
    const range = rangeIn(baseDoc, edit);
    // The editor's lines end with LF, and get their original line endings when they're saved.
    return { range, now: mapped(range, changes), insert: edit.text.replaceAll('\r\n', '\n') };
  });
  const isUnchanged = edits.every(
    ({ range, now }) => baseDoc.sliceString(range.from, range.to) === doc.sliceString(now.from, now.to),
  );
  return isUnchanged ? edits.map(({ now, insert }) => ({ ...now, insert })) : null;
};

/** Marks findings in an editor. Each offers its fix, which edits the text without saving. */
export const createFindingMarks = (view: EditorView, version: CheckedVersion) => {
  let shown: readonly Finding[] = [];
  const draw = (): void => {
    const changes = version.changesTo(view.state.doc);
    const diagnostics = shown.map((finding): Diagnostic => {
      const { severity, message, rule, fix } = finding;
      return {
        ...mapped(rangeIn(version.baseDoc, finding), changes),
        severity,
        message,
        source: rule,
        actions: fix ? [{ name: fix.title, apply: () => apply(finding) }] : [],
      };
    });
    view.dispatch(setDiagnostics(view.state, diagnostics));
  };
  const apply = (finding: Finding): void => {
    const changes = fixIn(view.state.doc, finding, version);
    if (!changes) {
      notify(checkWords.gone);
      return;
    }
    view.dispatch({ changes, userEvent: 'input.fix', scrollIntoView: true });
    shown = shown.filter((one) => one !== finding);
    draw();
    view.focus();
  };
  return (findings: readonly Finding[]): void => {
    if (findings.length === 0 && shown.length === 0) return;
    shown = findings;
    draw();
  };
};

const underlined = (token: string, style = 'wavy') => ({
  backgroundImage: 'none',
  textDecoration: `underline ${style} var(${token}) 1px`,
  textUnderlineOffset: '3px',
  textDecorationSkipInk: 'none',
});

const bordered = (token: string) => ({ borderLeft: `3px solid var(${token})` });

const theme = EditorView.theme({
  '.cm-lintRange': { paddingBottom: '0' },
  '.cm-lintRange-error': underlined('--danger'),
  '.cm-lintRange-warning': underlined('--warn'),
  '.cm-lintRange-hint': underlined('--muted', 'dotted'),
  '.cm-lintRange-active': { backgroundColor: 'color-mix(in oklab, var(--warn) 25%, transparent)' },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--danger)' },
  '.cm-lintPoint-warning:after': { borderBottomColor: 'var(--warn)' },
  '.cm-lintPoint-hint:after': { borderBottomColor: 'var(--muted)' },
  '.cm-tooltip': {
    maxWidth: 'min(32rem, 90vw)',
    overflow: 'hidden',
    fontFamily: 'var(--font-sans)',
    fontSize: '0.8125rem',
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '0.5rem',
    boxShadow: '0 8px 28px -6px var(--shadow-color)',
  },
  '.cm-tooltip-lint, .cm-panel.cm-panel-lint ul': { listStyle: 'none' },
  '.cm-diagnostic': { padding: '0.5rem 0.75rem', marginLeft: '0' },
  '.cm-diagnostic-error': bordered('--danger'),
  '.cm-diagnostic-warning': bordered('--warn'),
  '.cm-diagnostic-hint': bordered('--line-strong'),
  '.cm-diagnosticSource': {
    fontFamily: 'var(--font-mono)',
    fontSize: '0.6875rem',
    color: 'var(--muted)',
    opacity: '1',
  },
  '.cm-diagnosticAction': {
    display: 'block',
    height: '1.5rem',
    margin: '0.375rem 0',
    padding: '0 0.5rem',
    fontSize: '0.75rem',
    fontWeight: '500',
    color: 'var(--ink)',
    backgroundColor: 'var(--canvas)',
    border: '1px solid var(--line-strong)',
    borderRadius: '0.375rem',
  },
  '.cm-diagnosticAction:hover': { backgroundColor: 'var(--hover)' },
  '.cm-panel.cm-panel-lint': { padding: '0.25rem 2.25rem 0.25rem 0', fontFamily: 'var(--font-sans)' },
  '.cm-panel.cm-panel-lint ul': { maxHeight: '10rem' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': { backgroundColor: 'var(--hover)' },
  '.cm-panel.cm-panel-lint ul:focus [aria-selected]': {
    color: 'var(--ink)',
    backgroundColor: 'var(--selected)',
  },
  '.cm-panel.cm-panel-lint [name=close]': { top: '0.25rem', right: '0.5rem', color: 'var(--muted)' },
});

/** The style of marks, and the keys to go to the next one and to list them. */
export const findingMarks: Extension = [keymap.of([...lintKeymap]), theme];
