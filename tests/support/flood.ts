/** Does a task so many times, `atOnce` at a time. */
export const flood = async (count: number, atOnce: number, task: (number: number) => Promise<unknown>) => {
  let next = 0;
  const work = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};
