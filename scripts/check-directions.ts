// Checks that imports run only in the directions of ARCHITECTURE.md. The table is the rule; `check-directions-rules.ts` applies it.

import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { findViolations } from './check-directions-rules.ts';
import type { Directions, SourceTree } from './check-directions-types.ts';

const SERVER = 'packages/server/src/';
const TEST = /\.test\.tsx?$/;

export const directions: Directions = {
  scope: '@market/',

  // packages: workspaces it may import by name. entries: single entry points of others. npm: 'declared' means those in its package.json.
  packages: {
    contract: { packages: [], entries: [], npm: ['zod'], nodeBuiltins: false },
    sdk: { packages: ['contract'], entries: [], npm: 'declared', nodeBuiltins: true },
    cli: {
      packages: ['contract', 'sdk'],
      entries: [
        '@market/server/audit',
        '@market/server/earn-router',
        '@market/server/reconcile',
        '@market/server/rotate-keys',
        '@market/server/signer',
      ],
      npm: 'declared',
      nodeBuiltins: true,
    },
    web: { packages: ['contract', 'sdk'], entries: [], npm: 'declared', nodeBuiltins: true },
    sandbox: { packages: ['sdk'], entries: [], npm: 'declared', nodeBuiltins: true },
    server: { packages: ['contract', 'sandbox', 'web'], entries: [], npm: 'declared', nodeBuiltins: true },
  },

  // Layers from upper to lower: a file imports its own layer and lower ones, never an upper one. Every file has a layer.
  layers: {
    within: SERVER,
    order: [
      {
        name: 'main',
        paths: ['main.ts', 'serve.ts', 'start-service.ts', 'audit.ts', 'earn-router.ts', 'reconcile.ts', 'rotate-keys.ts', 'signer.ts'],
      },
      { name: 'app', paths: ['app.ts', 'app/'] },
      { name: 'surfaces', paths: ['surfaces/'] },
      { name: 'features', paths: ['features/'] },
      { name: 'access', paths: ['access/'] },
      { name: 'boot', paths: ['boot/'] },
      { name: 'local-postgres', paths: ['local-postgres/'] },
      { name: 'platform', paths: ['platform/'] },
      { name: 'config', paths: ['config.ts', 'settings.ts', 'settings/'] },
    ],
  },

  // Features, and rooms within one, import each other by index.ts only, without circles. Some import no other feature and read events.
  features: { folder: `${SERVER}features/`, door: 'index.ts', knowingNone: ['ledger', 'webhooks', 'notifications'] },

  // Base folder of the contract, on which every noun builds.
  grounds: ['packages/contract/src/kernel/'],

  // Patterns banned from the code of `within`, except in the files of `except`. Tests may use them.
  bans: [
    {
      rule: 'environment-only-in-config',
      within: SERVER,
      except: [/\/server\/src\/config\.ts$/, TEST],
      code: [/\bprocess\s*\.\s*env\b/],
      imports: ['node:process'],
    },
    {
      rule: 'sql-only-in-repositories',
      within: SERVER,
      except: [/\/server\/src\/(?:platform|local-postgres)\//, /[/-]repository\.ts$/, TEST],
      code: [],
      imports: ['kysely', 'pg'],
    },
    {
      rule: 'clock-only-through-platform',
      within: SERVER,
      except: [/\/server\/src\/(?:platform\/|local-postgres\/|config\.ts$)/, TEST],
      code: [/\bDate\s*\.\s*now\b/, /\bnew\s+Date\b(?!\s*\(\s*[^\s)])/],
      imports: [],
    },
    {
      rule: 'randomness-only-through-platform',
      within: SERVER,
      except: [/\/server\/src\/(?:platform\/|local-postgres\/|config\.ts$)/, TEST],
      code: [/\bMath\s*\.\s*random\b/],
      imports: [],
    },
    {
      rule: 'network-only-through-platform',
      within: SERVER,
      except: [/\/server\/src\/(?:platform\/|local-postgres\/|config\.ts$)/, TEST],
      code: [/(?<![\w$.])fetch\s*\(/, /\bglobalThis\s*\.\s*fetch\b/],
      imports: ['undici', 'node:https', 'node:http2', 'node:tls', 'node:dns', 'node:dgram'],
    },
    {
      rule: 'orders-change-only-in-take-step',
      within: SERVER,
      // Closing an account removes text from orders and changes no status.
      except: [
        /\/features\/orders\/lifecycle\/(?:take-step|step-repository|extend-restored)\.ts$/,
        /\/features\/accounts\/closing\/forget-text-repository\.ts$/,
        TEST,
      ],
      code: [/\b(?:insertNewOrder|updateOrderRow|insertStepRow|extendOrderRows)\b/],
      text: [
        /\b(?:updateTable|insertInto)\s*\(\s*'(?:orders|orderSteps)'/,
        /\bupdate\s+orders\s+(?:o\s+)?set\b/,
        /\binsert\s+into\s+(?:orders|order_steps)\b/,
      ],
      imports: [],
    },
  ],

  // Tests in packages may import the harness of the whole-system tests.
  isTest: (file) => TEST.test(file),
  testSupport: 'test/',
  // Test doubles of chains and facilitators; they need the server's own libraries.
  testDoubles: 'packages/server/testing/',
};

const READ = [
  'package.json',
  'packages/*/package.json',
  'packages/*/src/**/*.{ts,tsx}',
  'packages/server/testing/*.ts',
  'scripts/**/*.ts',
  'test/**/*.ts',
];

async function readTree(root: string): Promise<SourceTree> {
  const files = new Map<string, string>();
  for await (const file of glob(READ, { cwd: root })) files.set(file.split(sep).join('/'), await readFile(join(root, file), 'utf8'));
  return files;
}

if (import.meta.main) {
  const { violations, imports, files } = findViolations(await readTree(join(import.meta.dirname, '..')), directions);
  for (const { file, line, rule, detail } of violations) console.log(`${file}:${line} ${rule}: ${detail}`);
  if (violations.length === 0) console.log(`Directions hold: ${imports} imports in ${files} files.`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
