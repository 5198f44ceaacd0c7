/** A row of a decision table: which classes each column allows, and what follows. */
export interface Row<Column extends string> {
  line: number;
  allows: Readonly<Record<Column, ReadonlySet<string>>>;
  asks: string;
  decision: string;
}

/**
 * Reads a decision table. A line is a comment (#), a group of classes (`group name = class class`), or a row of
 * cells with | between them: one cell per column, then the questions, then the decision. A cell is * or a list
 * of classes and groups. Throws for a class that its column doesn't have.
 */
export const parseTable = <Column extends string>(
  text: string,
  columns: Readonly<Record<Column, readonly string[]>>,
): Row<Column>[] => {
  const names = Object.keys(columns) as Column[];
  const groups = new Map<string, string[]>();
  const expand = (cell: string): string[] =>
    cell.split(/\s+/).flatMap((word) => groups.get(word)?.flatMap(expand) ?? [word]);
  return text.split('\n').flatMap((content, index) => {
    const line = index + 1;
    const group = /^group (\S+)\s*= (.+)$/.exec(content);
    if (group?.[1] && group[2]) groups.set(group[1], group[2].trim().split(/\s+/));
    if (group || content.startsWith('#') || content.trim() === '') return [];
    const cells = content.split('|').map((cell) => cell.trim());
    if (cells.length !== names.length + 2) throw new Error(`line ${line} has ${cells.length} cells`);
    const allows = names.map((name, at) => {
      const cell = cells[at] ?? '';
      const classes = cell === '*' ? columns[name] : expand(cell);
      const unknown = classes.find((each) => !columns[name].includes(each));
      if (unknown !== undefined) throw new Error(`line ${line}: ${name} has no class ${unknown}`);
      return [name, new Set(classes)];
    });
    const [asks = '', decision = ''] = cells.slice(-2);
    return [{ line, allows: Object.fromEntries(allows), asks, decision }];
  });
};
