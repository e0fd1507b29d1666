/** The reader of the output may have gone, as `head` does: the command then goes on to its end without one. */
export function survivePipesWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
