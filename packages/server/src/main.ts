#!/usr/bin/env node
/** The entry point. Node caches compiled code on disk, which halves the startup time of a restart. */
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'compiled'));
await import('./serve.ts');
