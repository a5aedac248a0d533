/** Where the server mounts what the pages link to. */
export const sitePaths = {
  home: '/',
  reference: '/reference',
  openApi: '/api/openapi.json',
  health: '/readyz',
} as const;
