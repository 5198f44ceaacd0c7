/**
 * The end of a path, which is where paths differ: as many of its last names as fit into so many characters, at least one, after
 * "…" for the others. A path of Windows keeps its separator.
 */
export const endOfPath = (path: string, most: number): string => {
  if (path.length <= most) return path;
  const names = path.split(/(?=[/\\])/);
  let end = names.pop() ?? '';
  for (let name = names.pop(); name !== undefined && 1 + name.length + end.length <= most; name = names.pop())
    end = name + end;
  return `…${end}`;
};
