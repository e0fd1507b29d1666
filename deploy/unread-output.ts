/**
 * The reader of the output may have gone, as `head` does: the command then goes on to its end without one, since half of
 * its steps are worse than steps that nobody reads about. A disk that is full ends it.
 */
export function survivePipesWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
