import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const read = (environment: Record<string, string>) => readConfig({ environment, terminal: false });

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
}

test('an empty environment is a complete sandbox configuration', () => {
  const config = read({});
  assert.equal(config.profile, 'sandbox');
  assert.equal(config.port, 4020);
  assert.equal(config.serviceName, 'Mercato');
  assert.deepEqual(config.idp.algorithms, ['ES256']);
});

test('every problem is reported at once, by the name of the setting', () => {
  const problems = problemsOf({
    PORT: 'http',
    RATE_LIMIT_SCALE: '-1',
    DATABASE_URL: 'mysql://x',
    MASTER_KEY: 'short',
    IDP_ALGORITHMS: 'HS256',
  });
  for (const name of ['PORT', 'RATE_LIMIT_SCALE', 'DATABASE_URL', 'MASTER_KEY', 'IDP_ALGORITHMS']) {
    assert.ok(
      problems.some((problem) => problem.startsWith(`${name} `)),
      `${name} is missing from ${problems.join('; ')}`,
    );
  }
});

test('production refuses to start on development settings', () => {
  const problems = problemsOf({ MARKET_PROFILE: 'production', OUTBOUND_ALLOW: '127.0.0.1', BASE_URL: 'http://market.example.com' });
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['MASTER_KEY', 'BASE_URL', 'OUTBOUND_ALLOW'],
  );
});

test('the configuration cannot be changed after it was read', () => {
  const config = read({});
  assert.throws(() => Object.assign(config.network, { rateLimitScale: 5 }), TypeError);
});

test('an emptied setting counts as not set', () => {
  assert.equal(read({ PORT: ' ' }).port, 4020);
});
