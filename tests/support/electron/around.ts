import { LAUNCH_OPTIONS_VARIABLE, type LaunchOptions, type RecordedCall } from './launch-options.ts';
import { createLocalPeers, createPeer } from './wire.ts';

/** The launch options that the test passed. */
export const launchOptions: LaunchOptions = JSON.parse(
  process.env[LAUNCH_OPTIONS_VARIABLE] ?? '{"userData":".","appData":"."}',
);

/** Whether this process runs the built shell. Otherwise it runs a test, which imports parts of the shell. */
export const isShellProcess = process.env[LAUNCH_OPTIONS_VARIABLE] !== undefined;

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
export const report = (call: RecordedCall): void => test.tell('recorded-call', call);

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
