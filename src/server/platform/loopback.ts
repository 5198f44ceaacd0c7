/** The values of HOST for which dot-mi listens on 127.0.0.1 and, where there is IPv6, on ::1. */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost'];
