// A certified identity provider for tests: node provider.mjs <port> <redirect-uri>
import Provider from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "batuta",
      client_secret: "a-secret-of-the-test",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "client_secret_post",
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  pkce: { required: () => true },
  cookies: { keys: ["a-key-of-the-test"] },
  features: { devInteractions: { enabled: true } },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@example.com`,
      email_verified: !id.startsWith("unverified"),
      name: id,
    }),
  }),
});

provider.listen(Number(port), "127.0.0.1", () => console.log("listening"));
