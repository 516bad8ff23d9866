/**
 * Ends a run: proves that it ended well, and cleans up whatever came of it.
 *
 * @param prove throws where the run did not end as it should
 * @param abandon kills and removes what is left
 */
export async function endOfRun(prove: () => Promise<void>, abandon: () => Promise<void>): Promise<void> {
  try {
    await prove();
  } catch (error) {
    // Where the test itself has failed before, the runner shows neither message.
    Deno.stderr.writeSync(new TextEncoder().encode(`End of the run: ${error}\n`));
    throw error;
  } finally {
    await abandon();
  }
}
