/**
 * Who opened a charge or a prepaid balance, and can use it: the id of an agent key, or `operator`. Null if it was opened
 * without a key. It then belongs to whoever knows its id, or the key of the balance.
 */
export type Owner = string | null;
