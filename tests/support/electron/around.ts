import { type Deed, ORDERS_VARIABLE, type Orders } from './launch-options.ts';
import { createLocalPeers, createPeer } from './wire.ts';

/** The launch options that the test passed. */
export const orders: Orders = JSON.parse(process.env[ORDERS_VARIABLE] ?? '{"userData":".","appData":"."}');

/** Whether this process runs the built shell. Otherwise it runs a test, which imports parts of the shell. */
export const isShellProcess = process.env[ORDERS_VARIABLE] !== undefined;

const [shellSide, testSide] = createLocalPeers();

/** The test on the other side of the wire. */
export const test = isShellProcess
  ? createPeer(
      process.send && process.connected
        ? (message) => {
            if (process.connected) process.send?.(message);
          }
        : undefined,
      (hear) => process.on('message', hear),
    )
  : shellSide;

/** The other side, for a test that runs in the same process. */
export const inProcess = testSide;

/** Reports a call to the test. */
export const report = (deed: Deed): void => test.tell('deed', deed);

/** An event that can be prevented. */
export const preventable = () => {
  let prevented = false;
  return {
    preventDefault: () => {
      prevented = true;
    },
    get defaultPrevented() {
      return prevented;
    },
    isPrevented: () => prevented,
  };
};
