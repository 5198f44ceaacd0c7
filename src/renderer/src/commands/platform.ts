/** Whether this is a Mac, whose keyboards have ⌘ where others have Ctrl. */
export const isMac = (platform: string = navigator.platform): boolean => /^(Mac|iP)/.test(platform);
