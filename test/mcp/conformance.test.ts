/** The official conformance suite against the real MCP surface. `npm run conformance:mcp` runs it, too, and prints every scenario. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { type ConformanceStage, expectedFailuresOf, openConformanceStage, revisions, taskScenarios } from './conformance/run-suite.ts';

function passed(scenario: string): RegExp {
  return new RegExp(`^✓ ${scenario}: [1-9]\\d* passed, 0 failed`, 'm');
}

describe('official MCP conformance suite', () => {
  let stage: ConformanceStage;
  before(async () => {
    stage = await openConformanceStage();
  });
  after(async () => {
    await stage.close();
  });

  for (const revision of revisions) {
    test(`every required MCP server scenario of ${revision} passes, except expected failures, as does the Tasks extension where the revision has it`, async () => {
      const { exitCode, summary, output } = await stage.runServerScenarios(revision);
      assert.equal(exitCode, 0, summary === '' ? output : summary);
      assert.ok((summary.match(/^✓/gm) ?? []).length >= 25, summary);
      if (revision === '2026-07-28') for (const scenario of taskScenarios) assert.match(summary, passed(scenario), output);
    });
  }

  test('every MCP scenario for authorization servers passes', async () => {
    const { exitCode, summary, output } = await stage.runAuthorizationScenarios();
    assert.equal(exitCode, 0, output);
    assert.match(summary, /✓ authorization-code-grant: 1 passed, 0 failed/);
  });

  test('every expected failure of the MCP suite has a reason', async () => {
    for (const file of revisions.map(expectedFailuresOf).filter((one) => one !== undefined)) {
      const entries = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim().startsWith('- '));
      for (const entry of entries) assert.match(entry, /^ {2}- [a-z0-9-]+ # \w.{8,}/);
    }
  });
});
