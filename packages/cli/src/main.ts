#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { runMarket } from './run-market.ts';

// A closed pipe (`market agents list | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runMarket(process.argv.slice(2), {
  env: process.env,
  readInput: () => text(process.stdin),
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  interruption() {
    const enough = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => enough.abort());
    return enough.signal;
  },
});
