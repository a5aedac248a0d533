/** `.env.example` from the settings that the server declares. */
import type { Setting } from '../../packages/server/src/settings/setting-schemas.ts';
import { settings } from '../../packages/server/src/settings.ts';
import type { Generator } from './generator.ts';

const INTRODUCTION = [
  '# Every setting of the service. Generated from packages/server/src/settings.ts by `npm run generate`.',
  '# Copy to .env and uncomment what you change; without any of it `npm start` runs a complete sandbox.',
];

export const envExample: Generator = {
  name: '.env.example',
  render: async () => {
    const sections = Map.groupBy(Object.entries<Setting>(settings), ([, setting]) => setting.section);
    const lines = [...sections].flatMap(([section, members]) => [
      '',
      `## ${section}`,
      ...members.flatMap(([name, setting]) => describe(name, setting)),
    ]);
    return { '.env.example': `${[...INTRODUCTION, ...lines].join('\n')}\n` };
  },
};

function describe(name: string, setting: Setting): string[] {
  const fallback = setting.schema.safeParse(undefined);
  const shown = setting.example ?? (fallback.success ? [fallback.data].flat().join(',') : '');
  return ['', `# ${setting.about}`, `#${name}=${shown}`];
}
