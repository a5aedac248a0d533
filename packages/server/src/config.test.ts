import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, poolSizeFor, readConfig } from './config.ts';

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
  assert.deepEqual(config.idp.algorithms, ['RS256', 'ES256']);
});

test('every problem is reported at once, by the name of its setting', () => {
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

test('DATABASE_DIRECT_URL requires DATABASE_URL', () => {
  const url = 'postgresql://market@pooler/market';
  assert.equal(
    read({ DATABASE_URL: url, DATABASE_DIRECT_URL: 'postgresql://market@db/market' }).database.directUrl,
    'postgresql://market@db/market',
  );
  assert.deepEqual(problemsOf({ DATABASE_DIRECT_URL: url }), ['DATABASE_DIRECT_URL needs DATABASE_URL']);
});

test('I18: production refuses to start on development settings', () => {
  const problems = problemsOf({ MARKET_PROFILE: 'production', OUTBOUND_ALLOW: '127.0.0.1', BASE_URL: 'http://market.example.com' });
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['MASTER_KEY', 'BASE_URL', 'OUTBOUND_ALLOW'],
  );
});

test('the demo is on in the sandbox unless switched off, and never in production', () => {
  assert.equal(read({}).demo, true);
  assert.equal(read({ SANDBOX_DEMO: 'off' }).demo, false);
  const production = { MARKET_PROFILE: 'production', MASTER_KEY: 'a1'.repeat(32), BASE_URL: 'https://api.example.com' };
  assert.equal(read(production).demo, false);
  assert.deepEqual(problemsOf({ ...production, SANDBOX_DEMO: 'on' }), ['SANDBOX_DEMO must not be on in production']);
});

test('the fixtures of the MCP conformance suite are off by default, and refused in production', () => {
  assert.equal(read({}).mcpFixtures, false);
  assert.equal(read({ MCP_FIXTURES: 'on' }).mcpFixtures, true);
  const production = { MARKET_PROFILE: 'production', MASTER_KEY: 'a1'.repeat(32), BASE_URL: 'https://api.example.com' };
  assert.deepEqual(problemsOf({ ...production, MCP_FIXTURES: 'on' }), ['MCP_FIXTURES must not be on in production']);
});

test('a file store is configured completely or not at all', () => {
  assert.equal(read({}).s3, undefined);
  const whole = {
    STORAGE_S3_ENDPOINT: 'https://s3.example.com/',
    STORAGE_S3_BUCKET: 'market-files',
    STORAGE_S3_ACCESS_KEY: 'key',
    STORAGE_S3_SECRET_KEY: 'secret',
  };
  assert.deepEqual(read(whole).s3, {
    endpoint: 'https://s3.example.com',
    bucket: 'market-files',
    region: 'us-east-1',
    accessKey: 'key',
    secretKey: 'secret',
  });
  for (const name of Object.keys(whole)) {
    const problems = problemsOf({ ...whole, [name]: '' });
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      [name],
    );
  }
});

test('the configuration is frozen after reading', () => {
  const config = read({});
  assert.throws(() => Object.assign(config.network, { rateLimitScale: 5 }), TypeError);
});

test('an empty setting counts as not set', () => {
  assert.equal(read({ PORT: ' ' }).port, 4020);
});

test('a remote facilitator requires https in production and is refused in the sandbox', () => {
  const url = 'https://facilitator.example.com/';
  assert.equal(read({}).x402.facilitator, undefined);
  const local = read({ X402_FACILITATOR_URL: 'http://127.0.0.1:4021', X402_FACILITATOR_AUTHORIZATION: 'Bearer x' });
  assert.deepEqual(local.x402.facilitator, { url: 'http://127.0.0.1:4021', authorization: 'Bearer x' });
  assert.match(problemsOf({ X402_FACILITATOR_URL: url }).join(), /X402_FACILITATOR_URL must be an address of this machine in the sandbox/);
  assert.match(problemsOf({ X402_FACILITATOR_AUTHORIZATION: 'Bearer x' }).join(), /needs X402_FACILITATOR_URL/);
  const production = { MARKET_PROFILE: 'production', MASTER_KEY: 'ab'.repeat(32), BASE_URL: 'https://market.example.com' };
  assert.equal(read({ ...production, X402_FACILITATOR_URL: url }).x402.facilitator?.url, 'https://facilitator.example.com');
  assert.match(problemsOf({ ...production, X402_FACILITATOR_URL: 'http://facilitator.example.com' }).join(), /must be an https address/);
});

test('sponsor keys are accepted for real networks only and are optional there', () => {
  assert.match(problemsOf({ SPONSOR_EVM_KEY: `0x${'ab'.repeat(32)}` }).join(), /SPONSOR_EVM_KEY must not be set in the sandbox/);
  const production = { MARKET_PROFILE: 'production', MASTER_KEY: 'ab'.repeat(32), BASE_URL: 'https://market.example.com' };
  assert.deepEqual(read(production).x402.sponsorKeys, { solana: undefined, evm: undefined });
  const keys = { SPONSOR_SOLANA_KEY: 'file:/run/secrets/sponsor-solana', SPONSOR_EVM_KEY: 'file:/run/secrets/sponsor-evm' };
  assert.deepEqual(read({ ...production, ...keys }).x402.sponsorKeys, { solana: keys.SPONSOR_SOLANA_KEY, evm: keys.SPONSOR_EVM_KEY });
});

test('the pool has eight connections per processor within its bounds, unless the setting gives a number', () => {
  assert.deepEqual([1, 2, 4, 8, 64].map(poolSizeFor), [20, 20, 32, 64, 80]);
  assert.equal(readConfig({ environment: { DATABASE_POOL_SIZE: '7' }, terminal: false }).database.poolSize, 7);
  assert.ok(readConfig({ environment: {}, terminal: false }).database.poolSize >= 20);
});

const [VAULT, WRAPPER, POOL, ROUTER] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`);
const mainnet = {
  MARKET_PROFILE: 'production',
  BASE_RPC_URL: 'https://base.example.com',
  TREASURY_EVM_KEY: 'file:/run/secrets/evm',
  MASTER_KEY: 'ab'.repeat(32),
  BASE_URL: 'https://api.example.com',
};

test('the sandbox has two vaults of its own, production none, and a setting replaces them', () => {
  assert.deepEqual(
    read({}).earn.venues.map(({ key, strategy }) => [key, strategy]),
    [
      ['lend_a:usdc', 'lending'],
      ['usdc-traders', 'liquidity_provision'],
    ],
  );
  assert.deepEqual(read({ EARN_VENUES: 'none' }).earn.venues, []);
  assert.deepEqual(read(mainnet).earn, { router: undefined, venues: [] });
  const list = `lend_a=erc4626:${VAULT}@Steady lending; lend_b:usdc=aave_v3:base-mainnet:${WRAPPER}/${POOL}`;
  const { earn } = read({ ...mainnet, EARN_VENUES: list, EARN_ROUTER_EVM_ADDRESS: ROUTER ?? '' });
  assert.deepEqual(earn.venues, [
    {
      id: 'lend_a',
      market: 'usdc',
      key: 'lend_a:usdc',
      label: 'Steady lending',
      strategy: 'lending',
      network: 'base-mainnet',
      at: { venue: VAULT, router: ROUTER, adapter: 'erc4626' },
    },
    {
      id: 'lend_b',
      market: 'usdc',
      key: 'lend_b:usdc',
      label: 'Aave v3',
      strategy: 'lending',
      network: 'base-mainnet',
      at: { venue: WRAPPER, router: ROUTER, adapter: 'aave_v3', pool: POOL },
    },
  ]);
});

test('a malformed list of vaults is refused at the start, with what to write instead', () => {
  const cases: [string, RegExp][] = [
    ['lend_a', /must hold entries such as/],
    [`lend_a=morpho:${VAULT}`, /knows no adapter morpho; use erc4626/],
    [`Lend A=erc4626:${VAULT}`, /must hold entries such as/],
    [`LEND=erc4626:${VAULT}`, /needs ids of small letters/],
    [`lend_a=erc4626:solana-mainnet:${VAULT}`, /knows no EVM network solana-mainnet/],
    [`lend_a=aave_v3:${VAULT}`, /needs the wrapper and the Pool/],
    [`lend_a=erc4626:${VAULT}/${POOL}`, /no second address/],
    [`lend_a=erc4626:${VAULT}; lend_a=erc4626:${WRAPPER}`, /names lend_a:usdc twice/],
    [`lend_a=erc4626:${VAULT}; lend_b=erc4626:${VAULT}`, /names the vault .* twice/],
  ];
  for (const [list, expected] of cases) {
    const problems = problemsOf({ EARN_VENUES: list });
    assert.ok(
      problems.some((problem) => problem.startsWith('EARN_VENUES ') && expected.test(problem)),
      `${list}: ${problems.join('; ')}`,
    );
  }
  assert.ok(
    problemsOf({ ...mainnet, EARN_VENUES: `lend_a=erc4626:${VAULT}` }).some((problem) =>
      /EARN_ROUTER_EVM_ADDRESS must be set/.test(problem),
    ),
  );
  const elsewhere = { ...mainnet, EARN_ROUTER_EVM_ADDRESS: ROUTER ?? '', EARN_VENUES: `lend_a=erc4626:alt-mainnet:${VAULT}` };
  assert.ok(problemsOf(elsewhere).some((problem) => /on alt-mainnet: set ALT_RPC_URL/.test(problem)));
});
