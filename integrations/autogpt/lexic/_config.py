from backend.sdk import BlockCostType, ProviderBuilder

# An answer costs whoever runs the Lexic server, so the platform takes nothing for it but its own base fee.
lexic = (
    ProviderBuilder("lexic").with_api_key("LEXIC_API_KEY", "Lexic API key").with_base_cost(1, BlockCostType.RUN).build()
)
