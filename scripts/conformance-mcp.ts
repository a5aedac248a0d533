/** `npm run conformance:mcp` runs the official MCP conformance suite against a sandbox market and exits with 1 when a scenario fails. */
import { openConformanceStage, revisions } from '../test/mcp/conformance/run-suite.ts';

const stage = await openConformanceStage();
try {
  for (const revision of revisions) {
    console.log(`\nServer scenarios of ${revision}`);
    const { exitCode, summary, output } = await stage.runServerScenarios(revision);
    console.log(exitCode === 0 ? summary : output);
    if (exitCode !== 0) process.exitCode = 1;
  }
  console.log('\nScenarios for authorization servers');
  const { exitCode, output } = await stage.runAuthorizationScenarios();
  console.log(output);
  if (exitCode !== 0) process.exitCode = 1;
} finally {
  await stage.close();
}
