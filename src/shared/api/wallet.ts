/** The wallet's endpoints, by topic. Import them from here. */
export * from './wallet/backup.ts';
export { LABEL_MAX } from './wallet/fields.ts';
export * from './wallet/receive.ts';
export * from './wallet/records.ts';
export * from './wallet/send.ts';
export * from './wallet/test-tokens.ts';
