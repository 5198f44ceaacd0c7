/** Storage for text that survives a reload of the page, for as long as its tab or window is open. */
export type SessionStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
