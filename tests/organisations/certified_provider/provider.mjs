// The `oidc-provider` package as a company's provider: one client, and people whose name is their mail address.
// Takes {"clientId", "secret", "redirect"} as its argument; prints its address when it listens.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const { clientId, secret, redirect } = JSON.parse(process.argv[2]);
const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: secret, redirect_uris: [redirect] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["given_name", "family_name"] },
    conformIdTokenClaims: false,
    findAccount: (context, id) => ({
      accountId: id,
      claims: () => ({ sub: `s-${id}`, email: id, email_verified: !id.startsWith("unverified"), given_name: "Gina" }),
    }),
    pkce: { required: () => true },
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
