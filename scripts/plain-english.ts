// Shared by the test that refuses these words in the window and by the check that warns about them in comments.

/** Words and habits that nobody would say out loud, with what to write instead (CONTRIBUTING.md). */
export const HABITS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/\breckon/i, 'write "calculate" or "use"'],
  [/\bmend(s|ed|ing)?\b/i, 'write "fix" or "repair"'],
  [/\bunder ?way\b/i, 'write "running" or "in progress"'],
  [/\ball the same\b/i, 'write "anyway" or "still"'],
  [/\bby (itself|themselves)\b/i, 'write "automatically"'],
  [/\b(leads?|leading|led) (to|nowhere|elsewhere|out)\b/i, 'write "points to" or "not found"'],
  [/\bstands\b(?! for\b)/i, 'write "is"'],
  [/\bserves?\b(?! (requests|the page|the API)\b)/i, 'write "is used"'],
  [/\b(tells|told)\b(?! (you|us)\b)/i, 'write "report" or "say"'],
  [/\bbesides? (the|this|that|its?)\b/i, 'write "next to" or "in addition to"'],
  [/\b(goes|go|went|going) on\b/i, 'write "continues" or "keeps running"'],
  [/\b(be|is|are|was|were) had\b/i, 'write "is available"'],
  [/(?<!\bthere )\b(is|are|was|were|isn’t|aren’t) no (?!longer\b|more\b|one\b)/i, 'write "is not a"'],
  [/\bput (it )?right\b/i, 'write "fix"'],
  [/\bfor ever\b/i, 'write "forever"'],
  [/\b(at|after) its start\b/i, 'write "when it started"'],
  [/, as (\d|“)/, 'write "such as"'],
  [/^(something|nothing|anything) else than\b/i, 'write "another …"'],
  [/;/, 'write two sentences'],
];
