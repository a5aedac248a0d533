/** The process of the service: reads the settings, starts it, prints `ready`, and stops it all on a signal. */
import { ConfigError, loadConfig } from './config.ts';
import { armCrashPoint } from './platform/crash-points.ts';
import { createLogger, type Logger } from './platform/telemetry/logger.ts';
import { type Running, startService, stopService } from './start-service.ts';

const STOP_DEADLINE_MS = 9_500;

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.log);
  armCrashPoint(config.crashAt);
  const running: Running = {};
  stopOnSignals(running, log);
  const fail = async (error: unknown, message: string): Promise<void> => {
    log.fatal({ err: error }, message);
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    await stopService(running, log);
    process.exit(1);
  };
  try {
    const onGivenUp = (error: Error): void => void fail(error, 'the service cannot go on and ends');
    const { baseUrl, app } = await startService(config, log, running, onGivenUp);
    process.stdout.write(`ready ${baseUrl}\n`);
    if (config.runJobs) app.startDemo();
  } catch (error) {
    await fail(error, 'the service could not start');
  }
}

function stopOnSignals(running: Running, log: Logger): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('stopping took too long');
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    void stopService(running, log).then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
});
