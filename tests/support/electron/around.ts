import { type Deed, ORDERS_VARIABLE, type Orders } from './launch-options.ts';
import { createPeer } from './wire.ts';

/** The launch options that the test passed. */
export const orders: Orders = JSON.parse(process.env[ORDERS_VARIABLE] ?? '{"userData":".","appData":"."}');

/** The test on the other side of the wire. */
export const test = createPeer(
  process.send && process.connected
    ? (message) => {
        if (process.connected) process.send?.(message);
      }
    : undefined,
  (hear) => process.on('message', hear),
);

/** Reports a call to the test. */
export const report = (deed: Deed): void => test.tell('deed', deed);

/** An event that can be prevented. */
export const preventable = () => {
  let prevented = false;
  return {
    preventDefault: () => {
      prevented = true;
    },
    isPrevented: () => prevented,
  };
};
