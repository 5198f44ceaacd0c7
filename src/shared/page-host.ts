/** The page's permanent host name. Browsers resolve it to loopback. */
export const PAGE_HOST = 'dot-mi.localhost';

/** The number of hex digits that each start adds in front of {@link PAGE_HOST}. */
export const RUN_NAME_DIGITS = 16;

const RUN_HOST = new RegExp(`^[0-9a-f]{${RUN_NAME_DIGITS}}\\.${PAGE_HOST.replaceAll('.', '\\.')}$`);

/** Returns whether the page has a host name only until dot-mi quits. */
export const isRunHost = (hostname: string): boolean => RUN_HOST.test(hostname);

/** The values of HOST with which dot-mi listens on 127.0.0.1 and, if the system has IPv6, on ::1. */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost'];

/** Returns whether a host name or address is this computer's own, with or without the brackets of a URL. */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
